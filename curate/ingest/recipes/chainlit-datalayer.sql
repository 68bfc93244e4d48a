-- Chainlit with the official data layer of its own (tables "Step", "Thread", "Feedback").
SELECT s.id AS turn_id,
       CASE CAST(s.type AS VARCHAR(40))
           WHEN 'user_message' THEN 'user'
           WHEN 'assistant_message' THEN 'assistant'
           WHEN 'retrieval' THEN 'retrieval'
           ELSE 'step'
       END AS turn_role,
       s.output AS turn_text, s."threadId" AS session_id, s."parentId" AS parent_id,
       t."userId" AS user_id, t.name AS title, s."createdAt" AS ts,
       CASE f.value WHEN 1 THEN 'up' WHEN 0 THEN 'down' END AS rating, f.comment AS comment
FROM "Step" s
LEFT JOIN "Thread" t ON t.id = s."threadId"
LEFT JOIN "Feedback" f ON f."stepId" = s.id
ORDER BY s."threadId", s."createdAt", s.id
