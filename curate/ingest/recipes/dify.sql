-- Dify: its own PostgreSQL. One row for each question and one for each answer, with the user's vote.
SELECT turn_id, turn_role, turn_text, session_id, parent_id, user_id, ts, chunks,
       latency_ms, tokens_in, tokens_out, rating, comment, voted_at
FROM (
    SELECT CAST(m.id AS VARCHAR(80)) AS turn_id, 'user' AS turn_role, m.query AS turn_text,
           CAST(m.conversation_id AS VARCHAR(80)) AS session_id, NULL AS parent_id,
           CAST(COALESCE(m.from_end_user_id, m.from_account_id) AS VARCHAR(80)) AS user_id,
           m.created_at AS ts, NULL AS chunks, NULL AS latency_ms, NULL AS tokens_in,
           NULL AS tokens_out, NULL AS rating, NULL AS comment,
           NULL AS voted_at, 1 AS place
    FROM messages m
    UNION ALL
    SELECT CAST(m.id AS VARCHAR(80)) || '-answer', 'assistant', m.answer,
           CAST(m.conversation_id AS VARCHAR(80)), CAST(m.id AS VARCHAR(80)),
           CAST(COALESCE(m.from_end_user_id, m.from_account_id) AS VARCHAR(80)),
           m.created_at, m.message_metadata, CAST(m.provider_response_latency * 1000 AS VARCHAR(40)),
           CAST(m.message_tokens AS VARCHAR(40)), CAST(m.answer_tokens AS VARCHAR(40)),
           f.rating, f.content, f.created_at, 2
    FROM messages m
    LEFT JOIN message_feedbacks f ON f.message_id = m.id AND f.from_source = 'user'
) turns
ORDER BY session_id, ts, turn_id, place
