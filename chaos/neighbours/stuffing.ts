const [usualTags, usualPosts] = [10_000, 1_500]

/** What a busy account has after a while, or a part of it, written at once: tags, and posts all over the next sixty days. */
export function stuffed(account: string, campaign: string, credential: string, part = 1) {
  const [tags, posts] = [usualTags * part, usualPosts * part]
  return `
  insert into tags (account_id, id, created, modified, created_by, tag)
  select '${account}', '07Cc' || lpad(n::text, 11, '0'), now(), now(), '', 'tag ' || n from generate_series(1, ${tags}) n;
  insert into messages (account_id, id, created, modified, created_by, modified_by, campaign_id, network, type, message, message_length)
  select '${account}', '005c' || lpad(n::text, 11, '0'), now(), now(), '', '', '${campaign}', 'Twitter', 'status-update', 'Planned ' || n, 8 + length(n::text)
  from generate_series(1, ${posts}) n;
  insert into posts (account_id, id, created, modified, created_by, modified_by, status, approve_status, source, queued, campaign_id,
    message_id, network, start_date_time, credential_ids)
  select '${account}', '006c' || lpad(n::text, 11, '0'), now(), now(), '', '', 'pending', 'Approved', 'API', false, '${campaign}',
    '005c' || lpad(n::text, 11, '0'), 'Twitter', now() + n * interval '55 minutes', array['${credential}']
  from generate_series(1, ${posts}) n;
  analyze tags, messages, posts`
}

const campaigns = 100
const hours = 59 * 24

/** What an account has that planned this many posts for sixty days around now: their messages, what was sent, who changed what, and figures. */
export function stuffedLarge(account: string, campaign: string, credential: string, posts: number) {
  const id = (prefix: string, n = 'n') => `'${prefix}l' || lpad((${n})::text, 11, '0')`
  const made = `'${account}', ${id('%')}, now(), now(), '', ''`
  const row = (prefix: string) => made.replace('%', prefix)
  const each = `from generate_series(1, ${posts}) n`
  const start = `now() - interval '29 days' + n * (interval '58 days' / ${posts})`
  return `
  insert into campaigns (account_id, id, created, modified, created_by, modified_by, name, status, color)
  select ${row('002')}, 'Large ' || n, 'active', '#2456D6' from generate_series(1, ${campaigns}) n;
  insert into messages (account_id, id, created, modified, created_by, modified_by, campaign_id, network, type, message, message_length)
  select ${row('005')}, '${campaign}', 'Twitter', 'status-update', repeat('Nine nights, two storms, one tent. ', 2 + n % 4) || n, 70 ${each};
  insert into posts (account_id, id, created, modified, created_by, modified_by, status, approve_status, source, queued, campaign_id,
    message_id, network, start_date_time, credential_ids)
  select ${row('004')}, case when n * 2 < ${posts} then 'complete' else 'pending' end, 'Approved', 'API', false,
    ${id('002', `n % ${campaigns} + 1`)}, ${id('005')}, 'Twitter', ${start}, array['${credential}'] ${each};
  insert into postlogs (account_id, id, created, modified, post_id, campaign_id, message_id, credential_id, network, status, remote_id, remote_url, published_date)
  select '${account}', ${id('007')}, now(), now(), ${id('004')}, ${id('002', `n % ${campaigns} + 1`)}, ${id('005')}, '${credential}', 'Twitter',
    'success', n::text, 'https://x.com/northwind/status/' || n, ${start} ${each} where n * 2 < ${posts};
  insert into deeds (account_id, id, created, user_id, via, via_id, address, operation, entity_id, fields, count)
  select '${account}', ${id('0dd')}, ${start}, '', 'key', '', '127.0.0.1', 'POST /post/{id}', ${id('004')}, array['startDateTime', 'status'], 1 ${each};
  insert into quarter_figures (account_id, of_kind, name, quarter, of_id, value)
  select '${account}', 'campaign', name, date_trunc('hour', now()) - n * interval '1 hour', ${id('002', 'c')}, 1 + n % 7
  from generate_series(1, ${Math.min(hours, posts)}) n, generate_series(1, ${campaigns}) c, unnest(array['postsSent', 'likes']) as name;
  insert into daily_figures (account_id, of_kind, name, day, of_id, value)
  select account_id, of_kind, name, (quarter at time zone 'UTC')::date, of_id, sum(value) from quarter_figures
  where account_id = '${account}' group by 1, 2, 3, 4, 5 on conflict do nothing;
  analyze campaigns, messages, posts, postlogs, deeds, quarter_figures, daily_figures`
}
