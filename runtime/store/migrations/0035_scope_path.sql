-- What a search compares with each of its words: folding case and joining three columns for every scope took most of its time.
alter table runtime.scope
  add column path text not null generated always as
    (lower(environment_key || '/' || application_runtime_id || '/' || workspace_id::text)) stored;
