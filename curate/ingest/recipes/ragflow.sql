-- RAGFlow: conversations of its own screens, then those of its API. MySQL or PostgreSQL.
SELECT id, user_id, name, message, reference, create_time FROM conversation
UNION ALL
SELECT id, user_id, NULL, message, reference, create_time FROM api_4_conversation
