import type { Network } from './rows.ts'

interface App {
  id: string
  secret: string
}

/** The one registered app per network. */
export const apps: Record<Network, App> = {
  Facebook: { id: '900000000000001', secret: 'sandbox-facebook-secret' },
  Instagram: { id: '900000000000002', secret: 'sandbox-instagram-secret' },
  LinkedIn: { id: 'sandbox-linkedin-client', secret: 'sandbox-linkedin-secret' },
  Twitter: { id: 'sandbox-x-client', secret: 'sandbox-x-secret' },
  YouTube: { id: 'sandbox-youtube-client.apps.googleusercontent.com', secret: 'sandbox-youtube-secret' },
  TikTok: { id: 'sandbox-tiktok-client', secret: 'sandbox-tiktok-secret' },
}
