-- Chainlit with its SQLAlchemy data layer. Votes are 0 (down) and 1 (up).
SELECT s.id AS turn_id,
       CASE CAST(s.type AS VARCHAR(40))
           WHEN 'user_message' THEN 'user'
           WHEN 'assistant_message' THEN 'assistant'
           WHEN 'retrieval' THEN 'retrieval'
           ELSE 'step'
       END AS turn_role,
       s.output AS turn_text, s."threadId" AS session_id, s."parentId" AS parent_id,
       t."userIdentifier" AS user_id, t.name AS title, s."createdAt" AS ts,
       CASE f.value WHEN 1 THEN 'up' WHEN 0 THEN 'down' END AS rating, f.comment AS comment
FROM steps s
LEFT JOIN threads t ON t.id = s."threadId"
LEFT JOIN feedbacks f ON f."forId" = s.id
ORDER BY s."threadId", s."createdAt", s.id
