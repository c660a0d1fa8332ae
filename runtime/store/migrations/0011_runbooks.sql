-- What the people who run a plugin say about its error codes, and where its logs and traces are.
alter table runtime.plugin add column runbooks json not null default '[]';
alter table runtime.plugin add column logs_link text;
alter table runtime.plugin add column traces_link text;
