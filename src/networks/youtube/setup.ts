import type { AppSetup } from '../connector/app-setup.ts'

/** What is known about registering an app with YouTube. */
export const setup: AppSetup = {
  versions: {
    v3: {
      source: 'https://developers.google.com/youtube/data/revision_history, read November 2026',
    },
  },
  scopeUses: {
    'youtube.upload': 'publishing',
    'youtube.force-ssl': 'comments, likes and deleting videos',
    'youtube.readonly': 'the channel, its videos and their metrics',
    'yt-analytics.readonly': 'the number of shares',
  },
  review:
    'Google verifies apps that ask for these scopes. While the consent screen is in testing only listed test users can sign in, and their access ends after 7 days. More than the default quota needs an audit.',
}
