-- Content that needs approval enters this workflow when nobody chooses one. Every account has exactly one.
alter table workflows add column is_default boolean not null default false;
alter table workflows add constraint default_in_use check (not is_default or status = 'active');
create unique index workflows_default on workflows (account_id) where is_default;

-- Roles whose active users decide at a step, in addition to those named in workflow_approvers.
alter table workflow_steps add column approver_roles text[] not null default '{}';
alter table workflow_steps add constraint roles_that_approve check (approver_roles <@ array['admin', 'publisher']);
create index users_approvers on users (account_id, id) where status = 'active' and role in ('admin', 'publisher');

insert into workflows (account_id, id, created, modified, created_by, name, is_default)
select id, 'cwf' || substr(md5('default workflow of ' || id), 1, 12), now(), now(), '', 'Default approval', true from accounts;
insert into workflow_steps (account_id, id, created, workflow_id, position, name, must_be_approved_by_everyone, approver_roles)
select account_id, 'cws' || substr(id, 4), created, id, 0, 'Approval', false, '{admin,publisher}' from workflows where is_default;

-- For the job that looks for content pending approval without an item.
create index posts_pending on posts (account_id, id) where approve_status = 'Pending';
create index messages_pending on messages (account_id, id) where approve_status = 'Pending';
