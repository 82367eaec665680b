import type { Network } from './network.ts'
import type { NetworkApp } from './network-app.ts'

/** Where each network is and which version of its interface is spoken, unless settings say otherwise. */
export const standardApps: { readonly [network in Network]: Pick<NetworkApp, 'apiVersion' | 'hosts' | 'options'> } = {
  Facebook: {
    apiVersion: 'v26.0',
    hosts: {
      graph: 'https://graph.facebook.com',
      login: 'https://www.facebook.com',
      upload: 'https://rupload.facebook.com',
    },
    options: {},
  },
  Instagram: {
    apiVersion: 'v26.0',
    hosts: {
      graph: 'https://graph.instagram.com',
      login: 'https://www.instagram.com',
      token: 'https://api.instagram.com',
      upload: 'https://rupload.facebook.com',
    },
    options: {},
  },
  LinkedIn: {
    apiVersion: '202607',
    hosts: {
      api: 'https://api.linkedin.com',
      login: 'https://www.linkedin.com',
      public: 'https://www.linkedin.com',
    },
    // Messages are for approved partners only.
    options: { messages: 'no' },
  },
  Twitter: {
    apiVersion: '2',
    hosts: { api: 'https://api.x.com', login: 'https://x.com', public: 'https://x.com' },
    options: { tier: 'self-serve' },
  },
  YouTube: {
    apiVersion: 'v3',
    hosts: {
      api: 'https://www.googleapis.com',
      login: 'https://accounts.google.com',
      token: 'https://oauth2.googleapis.com',
      analytics: 'https://youtubeanalytics.googleapis.com',
      hub: 'https://pubsubhubbub.appspot.com',
      public: 'https://www.youtube.com',
    },
    options: {},
  },
  TikTok: {
    apiVersion: 'v1.3',
    hosts: {
      business: 'https://business-api.tiktok.com',
      login: 'https://www.tiktok.com',
      public: 'https://www.tiktok.com',
    },
    options: {},
  },
}
