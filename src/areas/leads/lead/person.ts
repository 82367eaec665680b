import type { NetworkName } from '#networks/manifests.ts'

/** What becomes known of a person at one moment; empty where it does not. */
export interface Sighting {
  /** In small letters. */
  email: string
  name: string
  photo: string
  phone: string
  /** By which a network knows them. */
  profile?: PersonProfile | undefined
  /** Where it was; empty where nobody knows. */
  network: string
  campaignId: string
}

export interface PersonProfile {
  network: string
  remoteId: string
  username: string
}

/** Given names and family name of a full one, as most people write them. */
export function namesOf(full: string): { name: string; firstName: string; lastName: string } {
  const name = full.trim().slice(0, 200)
  const gap = name.indexOf(' ')
  if (gap < 0) return { name, firstName: name, lastName: '' }
  return { name, firstName: name.slice(0, gap), lastName: name.slice(gap + 1).trim() }
}

/** Where people find a profile; empty where the network has no address for what is known. */
export function profileUrl({ network, remoteId, username }: PersonProfile): string {
  const [id, name] = [encodeURIComponent(remoteId), encodeURIComponent(username)]
  return addresses[network as NetworkName]?.(id, name) ?? ''
}

const addresses: { [network in NetworkName]?: (id: string, name: string) => string } = {
  Facebook: (id) => `https://www.facebook.com/${id}`,
  Instagram: (_, name) => name && `https://www.instagram.com/${name}/`,
  LinkedIn: (_, name) => name && `https://www.linkedin.com/in/${name}`,
  Twitter: (id, name) => (name ? `https://x.com/${name}` : `https://x.com/i/user/${id}`),
  YouTube: (id) => `https://www.youtube.com/channel/${id}`,
  TikTok: (_, name) => name && `https://www.tiktok.com/@${name}`,
}
