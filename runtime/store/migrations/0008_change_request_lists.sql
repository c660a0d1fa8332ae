-- The lists of change requests find those of the scopes that a person may see, and those of a rare kind, without reading all of them.
create index change_request_scope_place on runtime.change_request_scope
  (environment_key, application_runtime_id, workspace_id, change_request_id);
create index change_request_kind on runtime.change_request (kind, created_at desc, change_request_id desc);
