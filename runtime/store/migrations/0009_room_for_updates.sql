-- An operation and its calls change several times within a second. Where a new version finds room on the page of the old
-- one, and no index has what changed, it costs no entry in any index.
alter table runtime.operation set (fillfactor = 85);
alter table runtime.plugin_call set (fillfactor = 80);
alter table runtime.attempt set (fillfactor = 85);
