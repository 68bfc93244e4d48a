BEGIN TRANSACTION;
CREATE TABLE accepted (
    item TEXT NOT NULL,
    entity TEXT NOT NULL,
    revision INTEGER NOT NULL,
    at TEXT NOT NULL,
    "by" TEXT NOT NULL,
    reason TEXT NOT NULL,
    CONSTRAINT pk_accepted PRIMARY KEY (item, entity)
)
 STRICT
    ;
INSERT INTO "accepted" VALUES('loans-1','PERSON',2,'2026-11-29T21:04:11.000000Z','anna','a street');
CREATE TABLE alembic_version (
	version_num VARCHAR(32) NOT NULL, 
	CONSTRAINT alembic_version_pkc PRIMARY KEY (version_num)
);
INSERT INTO "alembic_version" VALUES('0006');
CREATE TABLE alias (
    tag BLOB NOT NULL,
    record INTEGER NOT NULL,
    CONSTRAINT pk_alias PRIMARY KEY (tag, record),
    CONSTRAINT fk_alias_record FOREIGN KEY(record) REFERENCES record (id) ON DELETE CASCADE
)
 WITHOUT ROWID,
 STRICT
    ;
INSERT INTO "alias" VALUES(X'D5840D7BED104ED434EB604AF0492D53',1);
INSERT INTO "alias" VALUES(X'0121C97E53246C18CAADCD439D24D1AD',2);
INSERT INTO "alias" VALUES(X'9DE6C1A965EAEE97514C09BC97A3CE5F',3);
CREATE TABLE audit (
    id INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT,
    at TEXT NOT NULL,
    "by" TEXT NOT NULL,
    action TEXT NOT NULL,
    subject TEXT NOT NULL,
    detail TEXT NOT NULL
)
 STRICT
    ;
INSERT INTO "audit" VALUES(1,'2026-11-29T21:04:11.000000Z','anna','reveal','r1','');
CREATE TABLE band (
    value INTEGER NOT NULL,
    record INTEGER NOT NULL,
    CONSTRAINT pk_band PRIMARY KEY (value, record),
    CONSTRAINT fk_band_record FOREIGN KEY(record) REFERENCES record (id) ON DELETE CASCADE
)
 WITHOUT ROWID,
 STRICT
    ;
INSERT INTO "band" VALUES(313881312669124020,1);
INSERT INTO "band" VALUES(489045040795893032,1);
INSERT INTO "band" VALUES(618503108990900648,1);
INSERT INTO "band" VALUES(744466965263183866,1);
INSERT INTO "band" VALUES(1350557419250444394,1);
INSERT INTO "band" VALUES(1705352681902909263,1);
INSERT INTO "band" VALUES(2046660773584862541,1);
INSERT INTO "band" VALUES(2242837341212414332,1);
INSERT INTO "band" VALUES(2316201054517420312,1);
INSERT INTO "band" VALUES(3059140616564446655,1);
INSERT INTO "band" VALUES(3086398888301544837,1);
INSERT INTO "band" VALUES(3467566606011292346,1);
INSERT INTO "band" VALUES(3725011068398098219,1);
INSERT INTO "band" VALUES(3817152041540721224,1);
INSERT INTO "band" VALUES(3879987009529329249,1);
INSERT INTO "band" VALUES(4086885207939177276,1);
INSERT INTO "band" VALUES(4679925721294610726,1);
INSERT INTO "band" VALUES(4889022812175046615,1);
INSERT INTO "band" VALUES(5121523865292793422,1);
INSERT INTO "band" VALUES(5171366222305356176,1);
INSERT INTO "band" VALUES(5305133799202084934,1);
INSERT INTO "band" VALUES(5532942854227457087,1);
INSERT INTO "band" VALUES(5689337521031171214,1);
INSERT INTO "band" VALUES(5739613690329954546,1);
INSERT INTO "band" VALUES(6102669492017757547,1);
INSERT INTO "band" VALUES(6288026150655387262,1);
INSERT INTO "band" VALUES(6712257601247837286,1);
INSERT INTO "band" VALUES(6789136336035528700,1);
INSERT INTO "band" VALUES(6861044016944665746,1);
INSERT INTO "band" VALUES(7116903527756140652,1);
INSERT INTO "band" VALUES(7421486336237578948,1);
INSERT INTO "band" VALUES(7445533693153309901,1);
INSERT INTO "band" VALUES(7538667054161112903,1);
INSERT INTO "band" VALUES(7624442654241667033,1);
INSERT INTO "band" VALUES(7845169980331251607,1);
INSERT INTO "band" VALUES(8186590176745485723,1);
INSERT INTO "band" VALUES(8268770758068313896,1);
INSERT INTO "band" VALUES(8276625337139729706,1);
INSERT INTO "band" VALUES(8633114178891182905,1);
INSERT INTO "band" VALUES(8706688020215984962,1);
INSERT INTO "band" VALUES(601960153952459558,3);
INSERT INTO "band" VALUES(619435051169361019,3);
INSERT INTO "band" VALUES(676936445266582101,3);
INSERT INTO "band" VALUES(1150725871263371749,3);
INSERT INTO "band" VALUES(1481992868447081795,3);
INSERT INTO "band" VALUES(1513715019637917886,3);
INSERT INTO "band" VALUES(1595437070730818487,3);
INSERT INTO "band" VALUES(1600197829889422083,3);
INSERT INTO "band" VALUES(2050098081018297547,3);
INSERT INTO "band" VALUES(2263245046341799908,3);
INSERT INTO "band" VALUES(2851237626447603333,3);
INSERT INTO "band" VALUES(2905854855362891050,3);
INSERT INTO "band" VALUES(2910944673011235452,3);
INSERT INTO "band" VALUES(2939889884044003795,3);
INSERT INTO "band" VALUES(2981153213868900807,3);
INSERT INTO "band" VALUES(3222438845169711098,3);
INSERT INTO "band" VALUES(3232602190126760685,3);
INSERT INTO "band" VALUES(4692656843606805641,3);
INSERT INTO "band" VALUES(4732076165008341111,3);
INSERT INTO "band" VALUES(5191369064088214335,3);
INSERT INTO "band" VALUES(5221121554734167761,3);
INSERT INTO "band" VALUES(5245066257410416641,3);
INSERT INTO "band" VALUES(5414133362761203274,3);
INSERT INTO "band" VALUES(5560716342823676065,3);
INSERT INTO "band" VALUES(6051476623417889599,3);
INSERT INTO "band" VALUES(6387971863383123538,3);
INSERT INTO "band" VALUES(6424915570040803595,3);
INSERT INTO "band" VALUES(6474173921030418023,3);
INSERT INTO "band" VALUES(6486477435583225134,3);
INSERT INTO "band" VALUES(7013924560932722511,3);
INSERT INTO "band" VALUES(7166089282172227615,3);
INSERT INTO "band" VALUES(7449242299792653863,3);
INSERT INTO "band" VALUES(7554592115885554226,3);
INSERT INTO "band" VALUES(7663516077537007953,3);
INSERT INTO "band" VALUES(7813544347454969957,3);
INSERT INTO "band" VALUES(7937113910612869227,3);
INSERT INTO "band" VALUES(8512504792932336982,3);
INSERT INTO "band" VALUES(8754699325988643070,3);
INSERT INTO "band" VALUES(8804855776166143205,3);
INSERT INTO "band" VALUES(9006484418193929486,3);
CREATE TABLE candidate (
    id INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT,
    status TEXT NOT NULL CONSTRAINT ck_candidate_status
        CHECK (status IN ('open', 'done', 'rejected', 'duplicate')),
    priority REAL NOT NULL,
    reasons TEXT NOT NULL,
    expires_at TEXT NOT NULL,
    item TEXT,
    note TEXT NOT NULL
)
 STRICT
    ;
INSERT INTO "candidate" VALUES(1,'done',6.7,'["1 thumbs-down","asked 2 times","section never covered"]','2027-02-26T21:00:00.000000Z','loans-1','');
INSERT INTO "candidate" VALUES(2,'open',1.5,'["section never covered","needs its history"]','2027-02-26T21:00:00.000000Z',NULL,'');
CREATE TABLE checkpoint (
    source TEXT NOT NULL,
    file TEXT NOT NULL,
    head BLOB NOT NULL,
    head_size INTEGER NOT NULL,
    "offset" INTEGER NOT NULL,
    line INTEGER NOT NULL,
    size INTEGER NOT NULL,
    changed INTEGER NOT NULL,
    settings BLOB NOT NULL,
    at TEXT NOT NULL,
    CONSTRAINT pk_checkpoint PRIMARY KEY (source, file)
)
 STRICT
    ;
INSERT INTO "checkpoint" VALUES('assistant','/logs/a.jsonl',X'00',1,10,2,10,0,X'01','2026-11-29T21:04:11.000000Z');
CREATE TABLE chunk_set (
    name TEXT NOT NULL,
    position INTEGER NOT NULL,
    digest TEXT NOT NULL,
    chunks INTEGER NOT NULL,
    at TEXT NOT NULL,
    "by" TEXT NOT NULL,
    CONSTRAINT pk_chunk_set PRIMARY KEY (name)
)
 STRICT
    ;
INSERT INTO "chunk_set" VALUES('heading-500',1,'sha256:22',12,'2026-11-29T21:04:11.000000Z','anna');
CREATE TABLE failure (
    run TEXT NOT NULL,
    item TEXT NOT NULL,
    label TEXT NOT NULL,
    why TEXT NOT NULL,
    at TEXT NOT NULL,
    confirmed TEXT NOT NULL,
    "by" TEXT NOT NULL,
    CONSTRAINT pk_failure PRIMARY KEY (run, item)
)
 STRICT
    ;
INSERT INTO "failure" VALUES('sha256:11','loans-1','retrieval miss','not in the top 5','2026-11-29T21:04:11.000000Z','','');
CREATE TABLE item (
    id TEXT NOT NULL,
    revision INTEGER NOT NULL,
    status TEXT NOT NULL CONSTRAINT ck_item_status
        CHECK (status IN ('draft', 'ready', 'retired', 'withdrawn')),
    split TEXT NOT NULL CONSTRAINT ck_item_split CHECK (split IN ('tuning', 'holdout')),
    content TEXT NOT NULL,
    CONSTRAINT pk_item PRIMARY KEY (id)
)
 STRICT
    ;
INSERT INTO "item" VALUES('loans-1',2,'ready','holdout','{"absence":{"corpus":"sha256:11","nearest":[["fees.md","Fines",0.25]],"queries":["books"]},"answerable":true,"changed_at":"2026-11-29T21:00:00+00:00","changed_by":"ben","cluster":"c1","evidence_mode":"all","evidences":[{"digest":"sha256:00","end":19,"grade":"verbatim","heading":"How long","phrase":"two weeks","source":"loans.md","start":10},{"digest":"sha256:00","end":19,"grade":"verbatim","heading":"Fines","phrase":"ten cents","source":"fees.md","start":10}],"history":[{"content":"Hello","role":"user"},{"content":"សួស្តី","role":"assistant"}],"id":"loans-1","keyword":"weeks","kind":"paraphrase","lang":"km-en","must_include":["weeks"],"must_not_include":["month"],"note":"careful","original":"how long can I kep a book","question":"How long may I keep a book?","reference":"Two weeks.","revision":2,"split":"holdout","status":"ready","tags":["short"]}');
CREATE TABLE look (
    id INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT,
    at TEXT NOT NULL,
    "by" TEXT NOT NULL,
    why TEXT NOT NULL,
    run TEXT NOT NULL,
    version INTEGER,
    scores TEXT NOT NULL
)
 STRICT
    ;
INSERT INTO "look" VALUES(1,'2026-11-29T21:04:11.000000Z','anna','release','sha256:11',1,'{"tuning": {"hit@4": 0.89}}');
CREATE TABLE mirror (
    path TEXT NOT NULL,
    version INTEGER NOT NULL,
    at TEXT NOT NULL,
    CONSTRAINT pk_mirror PRIMARY KEY (path)
)
 STRICT
    ;
INSERT INTO "mirror" VALUES('/srv/eval',1,'2026-11-29T21:04:11.000000Z');
CREATE TABLE name (
    name TEXT NOT NULL,
    version INTEGER NOT NULL,
    at TEXT NOT NULL,
    "by" TEXT NOT NULL,
    CONSTRAINT pk_name PRIMARY KEY (name),
    CONSTRAINT fk_name_version FOREIGN KEY(version) REFERENCES version (number)
)
 STRICT
    ;
INSERT INTO "name" VALUES('released',1,'2026-11-29T21:04:11.000000Z','anna');
CREATE TABLE receipt (
    id INTEGER NOT NULL,
    kind TEXT NOT NULL,
    at TEXT NOT NULL,
    "by" TEXT NOT NULL,
    status TEXT NOT NULL CONSTRAINT ck_receipt_status
        CHECK (status IN ('clean', 'deferred', 'not verified', 'overdue')),
    counts TEXT NOT NULL,
    verified TEXT NOT NULL,
    detail TEXT NOT NULL,
    CONSTRAINT pk_receipt PRIMARY KEY (id)
)
 STRICT
    ;
INSERT INTO "receipt" VALUES(1,'purge','2026-12-19T21:00:00.000000Z','anna','clean','{"candidates":1,"keys":0,"records":1,"revisions":0,"votes":0}','{"freelist":0,"journal":0,"left":0,"wal":0}','');
CREATE TABLE record (
    id INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT,
    "key" BLOB NOT NULL,
    content BLOB NOT NULL,
    user BLOB,
    source TEXT NOT NULL,
    asked_at TEXT,
    received_at TEXT NOT NULL,
    expires_at TEXT NOT NULL,
    question TEXT NOT NULL,
    standalone TEXT,
    answer TEXT,
    redactions TEXT NOT NULL,
    history TEXT NOT NULL,
    chunks TEXT NOT NULL,
    refused INTEGER,
    best_score REAL,
    latency_ms REAL,
    lang TEXT NOT NULL,
    policy TEXT NOT NULL,
    candidate INTEGER NOT NULL, tokens_in INTEGER, tokens_out INTEGER,
    CONSTRAINT uq_record_key UNIQUE ("key"),
    CONSTRAINT fk_record_candidate FOREIGN KEY(candidate) REFERENCES candidate (id)
)
 STRICT
    ;
INSERT INTO "record" VALUES(1,X'567DD6DC22B39DA01948B5226D9A3B1B',X'779C389D304091AA162BBAA54451D816',X'367B5DEDA662F65F6418BFF8A78CCD31','log','2026-11-28T21:00:00.000000Z','2026-11-29T21:00:00.000000Z','2027-02-26T21:00:00.000000Z','How long can <PERSON_1> keep a book?',NULL,'Within two weeks.','{"question":[{"at":0,"by":"names","end":3,"entity":"PERSON","placeholder":"<PERSON_1>","score":0.9,"start":0}]}','[]','[{"heading":"How long","id":"3","rank":1,"score":0.8,"source":"docs/loans.md"},{"heading":"Fines","id":"7","rank":2,"score":0.4,"source":"fees.md"}]',0,0.8,12.5,'en','sha256:00',1,NULL,NULL);
INSERT INTO "record" VALUES(2,X'3C2F8D209B6D518E9ED542BA0BF5DB92',X'627ABC08B37C4D9B8C4911057CCDD349',X'367B5DEDA662F65F6418BFF8A78CCD31','log','2026-11-28T21:00:00.000000Z','2026-11-29T21:00:00.000000Z','2027-02-26T21:00:00.000000Z','how long can <PERSON_1> keep a book',NULL,'Within two weeks.','{"question":[{"at":0,"by":"names","end":3,"entity":"PERSON","placeholder":"<PERSON_1>","score":0.9,"start":0}]}','[]','[{"heading":"How long","id":"3","rank":1,"score":0.8,"source":"docs/loans.md"},{"heading":"Fines","id":"7","rank":2,"score":0.4,"source":"fees.md"}]',0,0.8,12.5,'en','sha256:00',1,NULL,NULL);
INSERT INTO "record" VALUES(3,X'E6A738D300AD49D930865B6AF722B778',X'81B6355D7BEE7F2BD255B81762A65CAA',X'367B5DEDA662F65F6418BFF8A78CCD31','log','2026-11-28T21:00:00.000000Z','2026-11-29T21:00:00.000000Z','2027-02-26T21:00:00.000000Z','And the fees?',NULL,'Within two weeks.','{"question":[{"at":0,"by":"names","end":3,"entity":"PERSON","placeholder":"<PERSON_1>","score":0.9,"start":0}]}','[{"content":"Is there a library card?","role":"user"},{"content":"Yes.","role":"assistant"}]','[{"heading":"How long","id":"3","rank":1,"score":0.8,"source":"docs/loans.md"},{"heading":"Fines","id":"7","rank":2,"score":0.4,"source":"fees.md"}]',0,0.8,12.5,'en','sha256:00',2,NULL,NULL);
CREATE TABLE review (
    id INTEGER NOT NULL,
    batch TEXT NOT NULL,
    record INTEGER,
    mark TEXT NOT NULL CONSTRAINT ck_review_mark CHECK (mark IN ('good', 'wrong', 'unsupported')),
    at TEXT NOT NULL,
    "by" TEXT NOT NULL,
    comment TEXT NOT NULL,
    CONSTRAINT pk_review PRIMARY KEY (id),
    CONSTRAINT fk_review_record FOREIGN KEY(record) REFERENCES record (id) ON DELETE SET NULL
)
 STRICT
    ;
INSERT INTO "review" VALUES(1,'2026-W48',1,'good','2026-11-29T21:04:11.000000Z','anna','');
CREATE TABLE revision (
    id INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT,
    act INTEGER NOT NULL,
    subject TEXT NOT NULL,
    number INTEGER NOT NULL,
    at TEXT NOT NULL,
    "by" TEXT NOT NULL,
    action TEXT NOT NULL,
    reason TEXT NOT NULL,
    "before" TEXT,
    "after" TEXT,
    undoes INTEGER
)
 STRICT
    ;
INSERT INTO "revision" VALUES(1,1,'loans-1',1,'2026-11-29T21:00:00.000000Z','anna','make','',NULL,'{"absence":{"corpus":"sha256:11","nearest":[["fees.md","Fines",0.25]],"queries":["books"]},"answerable":true,"changed_at":"2026-11-29T21:00:00+00:00","changed_by":"anna","cluster":"c1","evidence_mode":"all","evidences":[{"digest":"sha256:00","end":19,"grade":"verbatim","heading":"How long","phrase":"two weeks","source":"loans.md","start":10},{"digest":"sha256:00","end":19,"grade":"verbatim","heading":"Fines","phrase":"ten cents","source":"fees.md","start":10}],"history":[{"content":"Hello","role":"user"},{"content":"សួស្តី","role":"assistant"}],"id":"loans-1","keyword":"two weeks","kind":"paraphrase","lang":"km-en","must_include":["weeks"],"must_not_include":["month"],"note":"careful","original":"how long can I kep a book","question":"How long may I keep a book?","reference":"Two weeks.","revision":1,"split":"holdout","status":"ready","tags":["short"]}',NULL);
INSERT INTO "revision" VALUES(2,1,'c1',1,'2026-11-29T21:00:00.000000Z','anna','make','','{"item":null,"note":"","status":"open"}','{"item":"loans-1","note":"","status":"done"}',NULL);
INSERT INTO "revision" VALUES(3,2,'loans-1',2,'2026-11-29T21:00:00.000000Z','ben','change','shorter','{"absence":{"corpus":"sha256:11","nearest":[["fees.md","Fines",0.25]],"queries":["books"]},"answerable":true,"changed_at":"2026-11-29T21:00:00+00:00","changed_by":"anna","cluster":"c1","evidence_mode":"all","evidences":[{"digest":"sha256:00","end":19,"grade":"verbatim","heading":"How long","phrase":"two weeks","source":"loans.md","start":10},{"digest":"sha256:00","end":19,"grade":"verbatim","heading":"Fines","phrase":"ten cents","source":"fees.md","start":10}],"history":[{"content":"Hello","role":"user"},{"content":"សួស្តី","role":"assistant"}],"id":"loans-1","keyword":"two weeks","kind":"paraphrase","lang":"km-en","must_include":["weeks"],"must_not_include":["month"],"note":"careful","original":"how long can I kep a book","question":"How long may I keep a book?","reference":"Two weeks.","revision":1,"split":"holdout","status":"ready","tags":["short"]}','{"absence":{"corpus":"sha256:11","nearest":[["fees.md","Fines",0.25]],"queries":["books"]},"answerable":true,"changed_at":"2026-11-29T21:00:00+00:00","changed_by":"ben","cluster":"c1","evidence_mode":"all","evidences":[{"digest":"sha256:00","end":19,"grade":"verbatim","heading":"How long","phrase":"two weeks","source":"loans.md","start":10},{"digest":"sha256:00","end":19,"grade":"verbatim","heading":"Fines","phrase":"ten cents","source":"fees.md","start":10}],"history":[{"content":"Hello","role":"user"},{"content":"សួស្តី","role":"assistant"}],"id":"loans-1","keyword":"weeks","kind":"paraphrase","lang":"km-en","must_include":["weeks"],"must_not_include":["month"],"note":"careful","original":"how long can I kep a book","question":"How long may I keep a book?","reference":"Two weeks.","revision":2,"split":"holdout","status":"ready","tags":["short"]}',NULL);
INSERT INTO "revision" VALUES(4,3,'c2',1,'2026-11-29T21:00:00.000000Z','anna','rejected','off topic','{"item":null,"note":"","status":"open"}','{"item":null,"note":"off topic","status":"rejected"}',NULL);
INSERT INTO "revision" VALUES(5,4,'c2',2,'2026-11-29T21:00:00.000000Z','anna','undo','','{"item":null,"note":"off topic","status":"rejected"}','{"item":null,"note":"","status":"open"}',3);
CREATE TABLE state (
    name TEXT NOT NULL,
    value INTEGER NOT NULL,
    CONSTRAINT pk_state PRIMARY KEY (name)
)
 STRICT
    ;
CREATE TABLE suppressed (
    tag BLOB NOT NULL,
    expires_at TEXT NOT NULL,
    CONSTRAINT pk_suppressed PRIMARY KEY (tag)
)
 WITHOUT ROWID,
 STRICT
    ;
INSERT INTO "suppressed" VALUES(X'D2296402D469CB2686BC6772106D9475','2026-12-29T21:00:00.000000Z');
CREATE TABLE version (
    number INTEGER NOT NULL,
    parent INTEGER,
    digest TEXT NOT NULL,
    at TEXT NOT NULL,
    "by" TEXT NOT NULL,
    corpus TEXT NOT NULL,
    policy TEXT NOT NULL, tool TEXT DEFAULT '' NOT NULL, root TEXT DEFAULT '' NOT NULL, chunk_set TEXT DEFAULT '' NOT NULL, gold TEXT DEFAULT '{}' NOT NULL,
    CONSTRAINT pk_version PRIMARY KEY (number),
    CONSTRAINT fk_version_parent FOREIGN KEY(parent) REFERENCES version (number)
)
 STRICT
    ;
INSERT INTO "version" VALUES(1,NULL,'sha256:22','2026-11-29T21:00:00.000000Z','anna','sha256:33','sha256:44','','','heading-500','{"loans-1": ["c1"]}');
CREATE TABLE version_file (
    version INTEGER NOT NULL,
    name TEXT NOT NULL,
    content BLOB NOT NULL,
    CONSTRAINT pk_version_file PRIMARY KEY (version, name),
    CONSTRAINT fk_version_file_version FOREIGN KEY(version) REFERENCES version (number)
)
 STRICT
    ;
INSERT INTO "version_file" VALUES(1,'remap.json',X'7B7D');
CREATE TABLE version_item (
    version INTEGER NOT NULL,
    position INTEGER NOT NULL,
    item TEXT NOT NULL,
    content TEXT NOT NULL, erased INTEGER DEFAULT '0' NOT NULL,
    CONSTRAINT pk_version_item PRIMARY KEY (version, position),
    CONSTRAINT fk_version_item_version FOREIGN KEY(version) REFERENCES version (number)
)
 WITHOUT ROWID,
 STRICT
    ;
INSERT INTO "version_item" VALUES(1,0,'loans-1','{"absence":{"corpus":"sha256:11","nearest":[["fees.md","Fines",0.25]],"queries":["books"]},"answerable":true,"changed_at":"2026-11-29T21:00:00+00:00","changed_by":"ben","cluster":"c1","evidence_mode":"all","evidences":[{"digest":"sha256:00","end":19,"grade":"verbatim","heading":"How long","phrase":"two weeks","source":"loans.md","start":10},{"digest":"sha256:00","end":19,"grade":"verbatim","heading":"Fines","phrase":"ten cents","source":"fees.md","start":10}],"history":[{"content":"Hello","role":"user"},{"content":"សួស្តី","role":"assistant"}],"id":"loans-1","keyword":"weeks","kind":"paraphrase","lang":"km-en","must_include":["weeks"],"must_not_include":["month"],"note":"careful","original":"how long can I kep a book","question":"How long may I keep a book?","reference":"Two weeks.","revision":2,"split":"holdout","status":"ready","tags":["short"]}',0);
CREATE TABLE vote (
    id INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT,
    "key" BLOB NOT NULL,
    content BLOB NOT NULL,
    record INTEGER,
    user BLOB,
    "by" TEXT NOT NULL CONSTRAINT ck_vote_by CHECK (by IN ('user', 'annotator', 'judge')),
    at TEXT,
    received_at TEXT NOT NULL,
    expires_at TEXT NOT NULL,
    rating INTEGER,
    reason TEXT,
    comment TEXT,
    CONSTRAINT uq_vote_key UNIQUE ("key"),
    CONSTRAINT fk_vote_record FOREIGN KEY(record) REFERENCES record (id) ON DELETE CASCADE
)
 STRICT
    ;
INSERT INTO "vote" VALUES(1,X'3EFEEE2BFD4673F943CC74594E6F1FF7',X'E49E37CB75FAB655AC575B233944B048',1,X'367B5DEDA662F65F6418BFF8A78CCD31','user','2026-11-29T09:00:00.000000Z','2026-11-29T21:00:00.000000Z','2027-02-27T09:00:00.000000Z',-1,'wrong','not what <PERSON_1> asked');
INSERT INTO "vote" VALUES(2,X'C5CEF681C4C072A4283F9064C8C675EC',X'00B17A53C6373460B5D11862102116E8',NULL,X'367B5DEDA662F65F6418BFF8A78CCD31','user','2026-11-29T09:00:00.000000Z','2026-11-29T21:00:00.000000Z','2027-02-27T09:00:00.000000Z',-1,'wrong','not what <PERSON_1> asked');
CREATE TABLE vote_target (
    vote INTEGER NOT NULL,
    position INTEGER NOT NULL,
    tag BLOB NOT NULL,
    CONSTRAINT pk_vote_target PRIMARY KEY (vote, position, tag),
    CONSTRAINT fk_vote_target_vote FOREIGN KEY(vote) REFERENCES vote (id) ON DELETE CASCADE
)
 WITHOUT ROWID,
 STRICT
    ;
INSERT INTO "vote_target" VALUES(2,0,X'13F9C88348DD9DA6433F5314FE2E3BCF');
INSERT INTO "vote_target" VALUES(2,0,X'9EDB7B2761831DA5FF69A3A0BA153335');
CREATE TABLE watermark (
    source TEXT NOT NULL,
    stream TEXT NOT NULL,
    value TEXT NOT NULL,
    at TEXT NOT NULL,
    CONSTRAINT pk_watermark PRIMARY KEY (source, stream)
)
 STRICT
    ;
INSERT INTO "watermark" VALUES('db','','7','2026-11-29T21:04:11.000000Z');
CREATE INDEX ix_candidate_inbox ON candidate (status, priority DESC, id, expires_at);
CREATE INDEX ix_receipt_kind ON receipt (kind);
CREATE INDEX ix_revision_act ON revision (act);
CREATE INDEX ix_revision_subject ON revision (subject);
CREATE INDEX ix_revision_undoes ON revision (undoes);
CREATE INDEX ix_record_candidate_expires_at ON record (candidate, expires_at);
CREATE INDEX ix_record_expires_at ON record (expires_at);
CREATE INDEX ix_version_item_item ON version_item (item);
CREATE INDEX ix_alias_record ON alias (record);
CREATE INDEX ix_band_record ON band (record);
CREATE INDEX ix_vote_expires_at ON vote (expires_at);
CREATE INDEX ix_vote_record ON vote (record);
CREATE INDEX ix_vote_target_tag ON vote_target (tag);
CREATE INDEX ix_review_batch ON review (batch)
    ;
CREATE INDEX ix_review_record ON review (record)
    ;
DELETE FROM "sqlite_sequence";
INSERT INTO "sqlite_sequence" VALUES('candidate',3);
INSERT INTO "sqlite_sequence" VALUES('record',4);
INSERT INTO "sqlite_sequence" VALUES('vote',2);
INSERT INTO "sqlite_sequence" VALUES('revision',5);
INSERT INTO "sqlite_sequence" VALUES('look',1);
INSERT INTO "sqlite_sequence" VALUES('audit',1);
COMMIT;
