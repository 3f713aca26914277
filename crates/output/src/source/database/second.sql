-- Tables of opencode 2, with a session.
CREATE TABLE session_v2 (
    id TEXT PRIMARY KEY, project_id TEXT NOT NULL, parent_id TEXT, slug TEXT NOT NULL, directory TEXT NOT NULL, title TEXT,
    version TEXT NOT NULL, cost REAL NOT NULL DEFAULT 0, time_created INTEGER NOT NULL, time_updated INTEGER NOT NULL);
CREATE TABLE session_message (
    id TEXT PRIMARY KEY, session_id TEXT NOT NULL, type TEXT NOT NULL, seq INTEGER NOT NULL,
    time_created INTEGER NOT NULL, time_updated INTEGER NOT NULL, data TEXT NOT NULL);
INSERT INTO session_v2 VALUES
    ('ses_1f00TideQuay', '9f2d6c', NULL, 'calm-tide', '/home/lea/harbour', 'Ask the tide', '2.0.12', 0.5, 1764000000000,
     1764000060000);
INSERT INTO session_message VALUES
    ('msg_30', 'ses_1f00TideQuay', 'idle', 9, 1764000009000, 1764000009000,
     '{"outcome":"succeeded","time":{"created":1764000009000}}'),
    ('msg_21', 'ses_1f00TideQuay', 'user', 1, 1764000000000, 1764000000000,
     '{"text":"When is high water?","files":[{"uri":"file:///home/lea/harbour/map.png","mime":"image/png","name":"map.png"}],"time":{"created":1764000000000}}'),
    ('msg_22', 'ses_1f00TideQuay', 'system', 2, 1764000001000, 1764000001000,
     '{"text":"Today is Monday.","time":{"created":1764000001000}}'),
    ('msg_23', 'ses_1f00TideQuay', 'assistant', 3, 1764000002000, 1764000008000,
     '{"agent":"build","model":{"id":"claude-opus-4-5","providerID":"anthropic"},"content":[{"type":"reasoning","text":"The gauge knows."},{"type":"text","text":"I ask the gauge."},{"type":"tool","id":"call_7","name":"bash","state":{"status":"completed","input":{"command":"gauge"},"content":[{"type":"text","text":"14:20"}],"metadata":{"exit":0}},"time":{"created":1764000003000,"ran":1764000004000,"completed":1764000005000}},{"type":"tool","id":"call_8","name":"bash","state":{"status":"error","input":{"command":"gauge --all"},"error":{"type":"unknown","message":"no such option"}},"time":{"created":1764000006000,"completed":1764000007000}}],"finish":"tool-calls","cost":0.5,"tokens":{"input":900,"output":60,"reasoning":0,"cache":{"read":0,"write":0}},"time":{"created":1764000002000,"completed":1764000008000}}'),
    ('msg_24', 'ses_1f00TideQuay', 'shell', 4, 1764000008100, 1764000008200,
     '{"shellID":"shl_1","command":"date","status":"exited","exit":0,"output":{"output":"Mon\n","truncated":false},"time":{"created":1764000008100,"completed":1764000008200}}'),
    ('msg_25', 'ses_1f00TideQuay', 'compaction', 5, 1764000008300, 1764000008400,
     '{"status":"completed","reason":"manual","summary":"High water is at 14:20.","recent":"","time":{"created":1764000008300}}'),
    ('msg_26', 'ses_1f00TideQuay', 'omen', 6, 1764000008500, 1764000008500, '{"bird":"gull"}');
