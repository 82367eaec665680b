-- The short link of a campaign's address.
alter table campaigns add column link_id text collate "C";
alter table campaigns drop column short_url;

-- Campaigns that have an address already get theirs; the hash is as random as those of the service.
with made as (
  insert into links (account_id, id, created, modified, hash, campaign_id, message_id, credential_id, network, original_url, long_url, params)
  select c.account_id, '008' || substr(c.id, 4), now(), now(), signs.hash, c.id, '', '', '', c.url, c.url,
    jsonb_build_object('utm_medium', 'social', 'utm_campaign', c.name)
  from campaigns c
  cross join lateral (
    select string_agg(substr('0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz',
      1 + get_byte(uuid_send(random.uuid), place) % 62, 1), '') as hash
    from (select gen_random_uuid() as uuid where c.id is not null) random, unnest(array[0, 1, 2, 3, 4, 5, 9, 10]) place) signs
  where c.deleted is null and c.url ~* '^https?://([a-z0-9-]+[.])*[a-z0-9-]*[a-z]([/?#][^[:space:]]*)?$' and length(c.url) <= 2048
    and not exists (select from links l where l.account_id = c.account_id and l.id = '008' || substr(c.id, 4))
  returning account_id, id, hash, campaign_id, long_url, params),
named as (
  insert into link_hashes (hash, account, link, long_url, params)
  select hash, account_id, id, long_url, params::text from made)
update campaigns c set link_id = m.id from made m where c.account_id = m.account_id and c.id = m.campaign_id;

-- A post that was taken back because its message went to approval again goes on when that is approved.
alter table posts add column awaits_message boolean not null default false;
