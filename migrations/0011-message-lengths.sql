-- How long a text is for its network, weighed when it is written. Texts from before have none until they are weighed.
alter table messages add column message_length integer;
create index messages_unweighed on messages (account_id, id) where message_length is null;
