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
