-- SPDX-License-Identifier: GPL-3.0-or-later
CREATE TABLE item (id INTEGER PRIMARY KEY, name TEXT, kind INTEGER, weight REAL);
WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 120000)
	INSERT INTO item SELECT i, 'item ' || (i * 7919 % 120000), i % 97, i * 0.5 FROM n;
CREATE INDEX by_name ON item (name);
SELECT kind, count(*), group_concat(substr(name, 1, 8)) FROM item GROUP BY kind;
SELECT a.id, upper(a.name) || printf('%08d', b.id) FROM item a JOIN item b ON a.name = b.name
	WHERE a.kind < 20;
UPDATE item SET name = replace(name, 'item', 'thing') WHERE kind % 2;
SELECT DISTINCT name FROM item ORDER BY weight DESC;
