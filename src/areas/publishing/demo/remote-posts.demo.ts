import type { DemoNetwork } from './campaigns.demo.ts'
import type { DemoProfile } from './queues.demo.ts'

/** The id and URL of a post on its network. */
export function remotePost(profile: DemoProfile, number: number): { remoteId: string; remoteUrl: string } {
  const { network, networkAccountId: account, networkUsername: name } = profile
  const digits = (length: number) => `7${String(number * 7919).padStart(length - 1, '0')}`
  const letters = `demo${String(number).padStart(7, '0')}`
  const shown: { [network: string]: [remoteId: string, remoteUrl: string] } = {
    LinkedIn: [`urn:li:share:${digits(19)}`, `https://www.linkedin.com/feed/update/urn:li:share:${digits(19)}`],
    Twitter: [digits(19), `https://x.com/${name}/status/${digits(19)}`],
    Facebook: [`${account}_${digits(15)}`, `https://www.facebook.com/${account}/posts/${digits(15)}`],
    Instagram: [digits(17), `https://www.instagram.com/p/${letters}/`],
    YouTube: [letters, `https://www.youtube.com/watch?v=${letters}`],
  }
  const [remoteId, remoteUrl] = shown[network] ?? [letters, '']
  return { remoteId, remoteUrl }
}

const troubles: { [network in DemoNetwork]: string } = {
  LinkedIn: 'LinkedIn: The profile may not post in the name of this page any more. Ask an administrator of the page.',
  Twitter: 'X: The same text was posted a moment ago. Change it before you post it again.',
  Facebook: 'Facebook: The picture could not be processed. Try another one.',
  Instagram: 'Instagram: The picture has a shape that is not taken. Crop it to between 4:5 and 1.91:1.',
  YouTube: 'YouTube: The channel has uploaded as many videos as it may today.',
}

/** The error with which a network refused a post. */
export const troubleOn = (network: DemoNetwork) => troubles[network]
