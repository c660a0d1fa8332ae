-- What a change request asks for, which may contain secrets, is needed until it is applied or ends. Then it is discarded.
alter table runtime.change_request alter column content drop not null;
update runtime.change_request set content = null where ended_at is not null or state = 'APPLYING';
