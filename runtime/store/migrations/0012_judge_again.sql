-- a request that the runner judges again, because the policy of an environment that it changes has changed
alter table runtime.change_request add column judge_again boolean not null default false;
create index change_request_judge_again on runtime.change_request (change_request_id) where judge_again;
