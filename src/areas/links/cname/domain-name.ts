import { isIP } from 'node:net'
import { domainToASCII } from 'node:url'
import { invalid } from '#kernel/errors.ts'

const longest = 253

/** A domain as name servers know it: lower case, other scripts in punycode; refuses what is none, saying why. */
export function readDomain(text: string): string {
  const given = text.trim().replace(/\.$/, '')
  if (/[/?#@\\]|:/.test(given))
    throw invalid('cname must be a domain alone, such as go.example.com: without https://, port or path.')
  if (isIP(given) > 0) throw invalid('cname must be a domain such as go.example.com, not an IP address.')
  const name = domainToASCII(given).toLowerCase()
  const labels = name.split('.')
  if (name.length > longest || !labels.every(isLabel) || labels.length < 2 || /^[\d.]+$/.test(name) || isIP(name) > 0)
    throw invalid(
      'cname must be a domain with at least two parts, such as go.example.com; each part has up to 63 letters, digits and dashes.',
    )
  return name
}

const isLabel = (label: string) => /^(?!-)[a-z0-9-]{1,63}(?<!-)$/.test(label)
