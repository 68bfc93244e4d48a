-- Open WebUI: every chat, then every vote with the chat as it was. Its SQLite file needs no query.
SELECT id, user_id, title, chat, NULL AS type, NULL AS data, NULL AS meta, NULL AS snapshot,
       created_at, updated_at
FROM chat
UNION ALL
SELECT id, user_id, NULL, NULL, type, data, meta, snapshot, created_at, updated_at
FROM feedback
