-- What the head of a response tells besides its status: some headers of one that could not be used, how long the plugin asked to
-- wait, and how far its clock is behind. Null if it tells nothing.
alter table runtime.attempt add column wire json;
