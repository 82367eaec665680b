import type { NetworkName } from './network.ts'

interface Place {
  network: NetworkName
  kind: 'page' | 'member' | 'account' | 'channel'
  networkAccountId: string
  networkUsername: string
}

/** Where people see a profile; empty where its network has no address that follows from what is known. */
export function profileUrl({ network, kind, networkAccountId: id, networkUsername: username }: Place): string {
  const by: { [network in NetworkName]: string } = {
    Facebook: `https://www.facebook.com/${id}`,
    Instagram: username && `https://www.instagram.com/${username}`,
    LinkedIn:
      kind === 'page'
        ? `https://www.linkedin.com/company/${id}`
        : username && `https://www.linkedin.com/in/${username}`,
    Twitter: username && `https://x.com/${username}`,
    YouTube: `https://www.youtube.com/channel/${id}`,
    TikTok: username && `https://www.tiktok.com/@${username}`,
    WeChat: '',
    Xing: '',
  }
  return by[network]
}
