-- The chatbot template for Vercel's AI SDK. A vote has no time of its own.
SELECT m.id AS turn_id, m.role AS turn_role, m.parts AS turn_text, m.parts AS chunks,
       m."chatId" AS session_id, c."userId" AS user_id, c.title AS title, m."createdAt" AS ts,
       CASE WHEN v."isUpvoted" THEN 'up' WHEN NOT v."isUpvoted" THEN 'down' END AS rating
FROM "Message_v2" m
LEFT JOIN "Chat" c ON c.id = m."chatId"
LEFT JOIN "Vote_v2" v ON v."messageId" = m.id
ORDER BY m."chatId", m."createdAt", m.id
