-- A search finds scopes by the beginnings of their three parts without reading all scopes.
create index scope_path_words on runtime.scope ((path || '/') text_pattern_ops);
create index scope_application_words on runtime.scope ((substr(path, strpos(path, '/') + 1) || '/') text_pattern_ops);
create index scope_workspace_words on runtime.scope ((workspace_id::text || '/') text_pattern_ops);
-- Each word of a search is compared with all that the index has not sorted in yet: up to 4 MB by default.
alter index runtime.configuration_property_words set (gin_pending_list_limit = 64);
