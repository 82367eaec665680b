-- Sending knows no posts: a send is of some content of some kind, and may belong to a group that is held and let go on together.
alter table post_sends rename to sends;
alter table sends rename column post_id to content_id;
alter table sends rename column campaign_id to group_id;
alter table sends rename column looks to searches;
-- Whoever deletes a content takes back its sends.
alter table sends drop constraint post_sends_account_id_post_id_fkey;
alter table sends drop constraint post_sends_kind_check;
alter table sends alter column group_id set default '';
update sends set kind = 'first-comment' where kind = 'comment';
alter index post_sends_pkey rename to sends_pkey;
alter index post_sends_by_campaign rename to sends_of_group;
alter index post_sends_due rename to sends_due;
alter index post_sends_late rename to sends_late;
alter index post_sends_slot rename to sends_slot;
alter table sends rename constraint post_sends_state_check to sends_state_check;

alter table engine_state rename to sending_state;
alter index engine_state_pkey rename to sending_state_pkey;
