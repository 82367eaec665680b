/** The networks a profile can belong to, in the contract's spelling. */
export const networkNames = [
  'LinkedIn',
  'Twitter',
  'YouTube',
  'Instagram',
  'Facebook',
  'WeChat',
  'Xing',
  'TikTok',
] as const

export type NetworkName = (typeof networkNames)[number]

/** Those the service can talk to; a profile of the others is a name only. */
export const connectedNetworks = ['Facebook', 'Instagram', 'LinkedIn', 'Twitter', 'YouTube', 'TikTok'] as const

export type Network = (typeof connectedNetworks)[number]
