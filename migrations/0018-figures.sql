-- Numbers that follow from facts, and the moment of the latest of these: one writer for all of them.
create table figures (
  account_id text collate "C" not null,
  -- What it is a figure of: a campaign, a message, a post, a post on one profile, a link.
  of_kind text collate "C" not null,
  of_id text collate "C" not null,
  name text collate "C" not null,
  value bigint not null,
  last timestamptz not null,
  primary key (account_id, of_kind, of_id, name)
) with (fillfactor = 70);

-- The same by day (UTC), where somebody wants to see how it went.
create table daily_figures (
  account_id text collate "C" not null,
  of_kind text collate "C" not null,
  of_id text collate "C" not null,
  name text collate "C" not null,
  day date not null,
  value bigint not null,
  primary key (account_id, of_kind, of_id, name, day)
) with (fillfactor = 70);

insert into figures (account_id, of_kind, of_id, name, value, last)
select account_id, 'message', id, f.name, f.value, modified from messages
  cross join lateral (values ('clicks', clicks), ('boardClicks', board_clicks), ('converts', converts), ('boardConverts', board_converts)) f (name, value)
  where f.value <> 0
union all select account_id, 'post', id, f.name, f.value, modified from posts
  cross join lateral (values ('clicks', clicks), ('converts', converts)) f (name, value) where f.value <> 0
union all select account_id, 'profile-post', post_id || ' ' || credential_id, f.name, f.value, modified from postlogs
  cross join lateral (values ('clicks', clicks), ('converts', converts)) f (name, value) where f.value <> 0
union all select account_id, 'link', id, f.name, f.value, modified from links
  cross join lateral (values ('clicks', clicks), ('converts', converts)) f (name, value) where f.value <> 0
union all select n.account_id, 'campaign', n.campaign_id, f.name, f.value, coalesce(case f.name when 'converts' then c.last_conversion_date end, c.modified)
  from campaign_counters n join campaigns c on c.account_id = n.account_id and c.id = n.campaign_id
  cross join lateral (values ('clicks', n.clicks), ('boardClicks', n.board_clicks), ('converts', n.converts),
    ('boardConverts', n.board_converts), ('messages', n.total_messages)) f (name, value) where f.value <> 0;

insert into daily_figures (account_id, of_kind, of_id, name, day, value)
select c.account_id, o.kind, o.id, 'clicks', (c.created at time zone 'UTC')::date, count(*) from clicks c
  cross join lateral (values ('campaign', c.campaign_id), ('message', c.message_id), ('post', c.post_id), ('link', c.link_id),
    ('profile-post', case when c.post_id <> '' then c.post_id || ' ' || c.credential_id else '' end)) o (kind, id)
  where c.class = 'human' and o.id <> '' group by 1, 2, 3, 5
union all
select c.account_id, o.kind, o.id, 'converts', (v.created at time zone 'UTC')::date, count(*) from conversions v
  join clicks c on c.account_id = v.account_id and c.id = v.click_id
  cross join lateral (values ('campaign', c.campaign_id), ('message', c.message_id), ('post', c.post_id), ('link', c.link_id),
    ('profile-post', case when c.post_id <> '' then c.post_id || ' ' || c.credential_id else '' end)) o (kind, id)
  where o.id <> '' group by 1, 2, 3, 5;

drop table campaign_counters;
alter table messages drop column clicks, drop column child_clicks, drop column board_clicks, drop column converts,
  drop column child_converts, drop column board_converts;
alter table posts drop column clicks, drop column converts, drop column comments, drop column new_comments, drop column likes;
alter table campaigns drop column last_conversion_date;
-- A post on a profile is named by both of them: nobody has to be told of each other.
alter table postlogs drop column clicks, drop column converts, drop column link_ids;
alter table links drop column clicks, drop column converts, drop column postlog_id;
alter table clicks drop column postlog_id;
