/** The address people see: under the account's own domain, or under the service's (`base`, without a slash at its end). */
export const shortUrl = (base: string, { host, hash }: { host: string; hash: string }): string =>
  `${host === '' ? base : `https://${host}`}/${hash}`
