-- Tables of opencode 1, with a session, its sub-agent, and a session without messages.
CREATE TABLE project (id TEXT PRIMARY KEY, worktree TEXT NOT NULL);
CREATE TABLE session (
    id TEXT PRIMARY KEY, project_id TEXT NOT NULL, workspace_id TEXT, parent_id TEXT, slug TEXT NOT NULL,
    directory TEXT NOT NULL, path TEXT, title TEXT NOT NULL, version TEXT NOT NULL, share_url TEXT,
    summary_additions INTEGER, summary_deletions INTEGER, summary_files INTEGER, summary_diffs TEXT,
    cost REAL NOT NULL DEFAULT 0, tokens_input INTEGER NOT NULL DEFAULT 0, tokens_output INTEGER NOT NULL DEFAULT 0,
    tokens_cache_read INTEGER NOT NULL DEFAULT 0, revert TEXT, permission TEXT, agent TEXT, model TEXT,
    time_created INTEGER NOT NULL, time_updated INTEGER NOT NULL, time_compacting INTEGER, time_archived INTEGER);
CREATE TABLE message (
    id TEXT PRIMARY KEY, session_id TEXT NOT NULL, time_created INTEGER NOT NULL, time_updated INTEGER NOT NULL,
    data TEXT NOT NULL);
CREATE INDEX message_session_time_created_id_idx ON message (session_id, time_created, id);
CREATE TABLE part (
    id TEXT PRIMARY KEY, message_id TEXT NOT NULL, session_id TEXT NOT NULL, time_created INTEGER NOT NULL,
    time_updated INTEGER NOT NULL, data TEXT NOT NULL);
CREATE INDEX part_session_idx ON part (session_id);

INSERT INTO project VALUES ('9f2d6c', '/home/lea/harbour');
INSERT INTO session (id, project_id, slug, directory, title, version, agent, model, cost, tokens_input, time_created, time_updated)
VALUES
    ('ses_2b0aLampQuay', '9f2d6c', 'calm-lamp', '/home/lea/harbour', 'Light the quay', '1.18.21', 'build',
     '{"id":"claude-sonnet-4-5","providerID":"anthropic"}', 0.25, 1200, 1762336800000, 1762336860000),
    ('ses_2b0aEmptyQuay', '9f2d6c', 'calm-reed', '/home/lea/harbour', 'New session - 1', '1.18.21', NULL, NULL, 0, 0,
     1762336800000, 1762336800000);
INSERT INTO session (id, project_id, parent_id, slug, directory, title, version, time_created, time_updated)
VALUES ('ses_2a99BulbQuay', '9f2d6c', 'ses_2b0aLampQuay', 'calm-bulb', '/home/lea/harbour', 'Count the bulbs', '1.18.21',
        1762336820000, 1762336840000);
INSERT INTO message VALUES
    ('msg_01', 'ses_2b0aLampQuay', 1762336800000, 1762336800000,
     '{"role":"user","time":{"created":1762336800000},"agent":"build"}'),
    ('msg_02', 'ses_2b0aLampQuay', 1762336802000, 1762336850000,
     '{"role":"assistant","parentID":"msg_01","modelID":"claude-sonnet-4-5","providerID":"anthropic","cost":0.25,"tokens":{"input":1200,"output":40,"reasoning":0,"cache":{"read":0,"write":0}},"finish":"tool-calls","time":{"created":1762336802000,"completed":1762336850000}}'),
    ('msg_03', 'ses_2a99BulbQuay', 1762336820000, 1762336820000,
     '{"role":"user","time":{"created":1762336820000},"agent":"explore"}'),
    ('msg_04', 'ses_2a99BulbQuay', 1762336821000, 1762336840000,
     '{"role":"assistant","parentID":"msg_03","modelID":"claude-sonnet-4-5","finish":"stop","time":{"created":1762336821000,"completed":1762336840000}}');
INSERT INTO part VALUES
    ('prt_03', 'msg_02', 'ses_2b0aLampQuay', 1762336804000, 1762336805000,
     '{"type":"tool","callID":"call_1","tool":"bash","state":{"status":"completed","input":{"command":"lamp on"},"output":"lit\n","metadata":{"exit":0},"time":{"start":1762336804000,"end":1762336805000}}}'),
    ('prt_01', 'msg_01', 'ses_2b0aLampQuay', 1762336800000, 1762336800000, '{"type":"text","text":"Light the quay."}'),
    ('prt_02', 'msg_02', 'ses_2b0aLampQuay', 1762336803000, 1762336803000, '{"type":"text","text":"One lamp first."}'),
    ('prt_04', 'msg_02', 'ses_2b0aLampQuay', 1762336820000, 1762336840000,
     '{"type":"tool","callID":"call_2","tool":"task","state":{"status":"completed","input":{"description":"Count the bulbs","subagent_type":"explore"},"output":"Nine.","metadata":{"sessionId":"ses_2a99BulbQuay"},"time":{"start":1762336820000,"end":1762336840000}}}'),
    ('prt_05', 'msg_03', 'ses_2a99BulbQuay', 1762336820000, 1762336820000, '{"type":"text","text":"Count the bulbs."}'),
    ('prt_06', 'msg_04', 'ses_2a99BulbQuay', 1762336840000, 1762336840000, '{"type":"text","text":"Nine."}');
