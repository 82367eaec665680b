import { beforeAll, expect, test } from 'vitest'
import { readDescription } from './description.fixture.ts'
import { type Recorded, recordEverything } from './recording.fixture.ts'

/** Request and response types of each request in X's description. */
const described: { [operation: string]: { sends?: string; gets: string } } = {
  'POST /2/tweets': { sends: 'CreatePostsRequest', gets: 'CreatePostsResponse' },
  'DELETE /2/tweets/{id}': { gets: 'DeletePostsResponse' },
  'GET /2/tweets': { gets: 'GetPostsByIdsResponse' },
  'GET /2/tweets/search/recent': { gets: 'SearchPostsRecentResponse' },
  'POST /2/media/upload': { sends: 'MediaUploadRequest', gets: 'MediaUploadResponse' },
  'GET /2/media/upload': { gets: 'GetMediaUploadStatusResponse' },
  'POST /2/media/upload/initialize': { sends: 'InitializeMediaUploadRequest', gets: 'InitializeMediaUploadResponse' },
  'POST /2/media/upload/{id}/append': { sends: 'AppendMediaUploadRequest', gets: 'AppendMediaUploadResponse' },
  'POST /2/media/upload/{id}/finalize': { gets: 'FinalizeMediaUploadResponse' },
  'POST /2/media/metadata': { sends: 'CreateMediaMetadataRequest', gets: 'CreateMediaMetadataResponse' },
  'GET /2/users/me': { gets: 'GetUsersMeResponse' },
  'GET /2/users/by/username/{username}': { gets: 'GetUsersByUsernameResponse' },
  'GET /2/users/{id}/tweets': { gets: 'GetUsersPostsResponse' },
  'GET /2/users/{id}/mentions': { gets: 'GetUsersMentionsResponse' },
  'GET /2/users/{id}/liked_tweets': { gets: 'GetUsersLikedPostsResponse' },
  'GET /2/users/{id}/timelines/reverse_chronological': { gets: 'GetUsersTimelineResponse' },
  'GET /2/users/reposts_of_me': { gets: 'GetUsersRepostsOfMeResponse' },
  'GET /2/lists/{id}/tweets': { gets: 'GetListsPostsResponse' },
  'POST /2/users/{id}/likes': { sends: 'LikePostRequest', gets: 'LikePostResponse' },
  'GET /2/dm_events': { gets: 'GetDirectMessagesEventsResponse' },
  'GET /2/dm_conversations/{id}/dm_events': { gets: 'GetDirectMessagesEventsByConversationIdResponse' },
  'GET /2/dm_conversations/with/{participant_id}/dm_events': {
    gets: 'GetDirectMessagesEventsByParticipantIdResponse',
  },
  'POST /2/dm_conversations/{dm_conversation_id}/messages': {
    sends: 'CreateDirectMessagesByConversationIdRequest',
    gets: 'CreateDirectMessagesByConversationIdResponse',
  },
  'POST /2/dm_conversations/with/{participant_id}/messages': {
    sends: 'CreateDirectMessagesByParticipantIdRequest',
    gets: 'CreateDirectMessagesByParticipantIdResponse',
  },
  'GET /2/webhooks': { gets: 'GetWebhooksResponse' },
  'POST /2/webhooks': { sends: 'CreateWebhooksRequest', gets: 'CreateWebhooksResponse' },
  'PUT /2/webhooks/{webhook_id}': { gets: 'ValidateWebhooksResponse' },
  'GET /2/activity/subscriptions': { gets: 'GetActivitySubscriptionsResponse' },
  'POST /2/activity/subscriptions': {
    sends: 'CreateActivitySubscriptionRequest',
    gets: 'CreateActivitySubscriptionResponse',
  },
}
/** Logins aren't part of the description. */
const undescribed = ['POST /2/oauth2/token', 'POST /oauth2/token']
/** X responds with the vocabulary of the request; `tweet.fields` selects the older one, the description has the newer. */
const newerNames = {
  'tweet.fields': 'post.fields',
  edit_history_tweet_ids: 'edit_history_post_ids',
  referenced_tweets: 'referenced_posts',
  retweet_count: 'repost_count',
  tweet_count: 'post_count',
}
/** In X's documentation, but not in the package's version of the description. */
const documented = [
  'CreateActivitySubscriptionRequest.event_type may not be "post.reply.create"',
  'GetActivitySubscriptionsResponse.meta is unknown',
]

const description = readDescription()
let recorded: Recorded[]
beforeAll(async () => {
  recorded = await recordEverything()
})

test('every request of the connector is in X’s description, and every listed one was sent', () => {
  const made = new Set(recorded.map(nameOf))
  expect([...made].sort()).toEqual([...Object.keys(described), ...undescribed].sort())
  expect(recorded.filter(({ status }) => status >= 300)).toEqual([])
})

test('every query parameter and every choice is in X’s description', () => {
  for (const call of recorded.filter((one) => !undescribed.includes(nameOf(one)))) {
    const known = operationOf(call)?.query ?? new Set()
    for (const [name, value] of call.query) {
      expect.soft([...known], nameOf(call)).toContain(newerName(name))
      const choices = description.choicesOf(name)
      if (choices)
        expect.soft([...choices], `${nameOf(call)} ${name}`).toEqual(expect.arrayContaining(value.split(',')))
    }
  }
})

test('requests of the connector and responses of the sandbox match X’s description', () => {
  const problems = recorded.flatMap((call) => {
    const { sends, gets } = described[nameOf(call)] ?? {}
    const sent =
      sends === undefined ? (call.body === undefined ? [] : ['a body']) : description.problemsWith(call.body, sends)
    return [...(gets ? sent : []), ...(gets ? description.problemsWith(translated(call.response), gets) : [])]
  })
  expect([...new Set(problems)].sort()).toEqual(documented)
})

test('a misspelled name is detected', () => {
  const { problemsWith } = description
  expect(problemsWith({ text: 'a', reply: { in_reply_to_id: '1' } }, 'CreatePostsRequest')).toEqual([
    'CreatePostsRequest.reply.in_reply_to_tweet_id is missing',
    'CreatePostsRequest.reply.in_reply_to_id is unknown',
  ])
  expect(problemsWith({ data: [{ id: '1', texts: 'a' }] }, 'GetUsersPostsResponse')).toHaveLength(1)
  expect(problemsWith({ data: { id: 1 } }, 'GetUsersMeResponse')).toEqual(['GetUsersMeResponse.data.id is no string'])
  expect(description.choicesOf('tweet.fields')).not.toContain('created')
})

/** If several match, the one with the fewest placeholders. */
function operationOf({ method, path }: Recorded) {
  const fitting = description.operations.filter(
    (operation) =>
      operation.method === method && new RegExp(`^${operation.path.replace(/\{\w+\}/g, '[^/]+')}$`).test(path),
  )
  return fitting.sort((one, other) => one.path.split('{').length - other.path.split('{').length)[0]
}

const nameOf = (call: Recorded) => `${call.method} ${operationOf(call)?.path ?? call.path}`

const newerName = (name: string): string => newerNames[name as keyof typeof newerNames] ?? name

function translated(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(translated)
  if (value === null || typeof value !== 'object') return value
  return Object.fromEntries(Object.entries(value).map(([name, field]) => [newerName(name), translated(field)]))
}
