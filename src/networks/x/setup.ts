import type { AppSetup } from '../connector/app-setup.ts'

/** What is known about registering an app with X. */
export const setup: AppSetup = {
  versions: {
    '2': { source: 'https://docs.x.com/x-api/fundamentals/versioning, read November 2026' },
  },
  scopeUses: {
    'tweet.read': 'reading posts and mentions',
    'tweet.write': 'publishing, replies and deleting posts',
    'users.read': 'the account, its followers and the names of others',
    'offline.access': 'access that lasts longer than two hours',
    'media.write': 'pictures and videos',
    'dm.read': 'reading messages',
    'dm.write': 'sending messages',
    'like.read': 'the stream of likes',
    'like.write': 'likes',
    'list.read': 'streams of lists',
    'follows.read': 'the home stream',
    'timeline.read': 'the stream of reposts',
  },
  review:
    'No review, but every call is paid for: buy credits in the X console. Likes, and replies to people who did not mention the account, need an enterprise contract.',
}
