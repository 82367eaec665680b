import { type Agent, request } from 'node:http'
import { ownerQuery } from '../../../../tests/support/database/owner.ts'
import { unpackClicks } from '../click/click-bundle.ts'

interface InsertedLink {
  hash: string
  longUrl: string
  account?: string
  params?: Record<string, string>
  host?: string
}

const demoAccount = '001demo00000001'
let inserted = 0

/** Inserts a link as publishing would. */
export async function insertLink(
  url: string,
  { hash, longUrl, account = demoAccount, params = {}, host = '' }: InsertedLink,
) {
  const id = `008test${String(++inserted).padStart(8, '0')}`
  const [campaign] = await ownerQuery<{ id: string }>(url, 'select id from campaigns where account_id = $1 limit 1', [
    account,
  ])
  await ownerQuery(
    url,
    `insert into links (account_id, id, created, modified, hash, campaign_id, message_id, credential_id, network, host, original_url, long_url, params)
     values ($1, $2, now(), now(), $3, $4, '', '', 'LinkedIn', $5, $6, $6, $7)`,
    [account, id, hash, campaign?.id, host, longUrl, JSON.stringify(params)],
  )
  await ownerQuery(
    url,
    'insert into link_hashes (hash, account, link, long_url, params) select hash, account_id, id, long_url, params from links where id = $1',
    [id],
  )
  return id
}

/** Stored, uncounted clicks of a link, in order. */
export async function intakeOf(url: string, link: string) {
  const batches = await ownerQuery<{ account: string; clicks: string }>(
    url,
    'select * from click_batches order by number',
  )
  return batches.flatMap(({ account, clicks }) => unpackClicks(account, clicks)).filter((click) => click.link === link)
}

export const browser =
  'Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/124.0.0.0 Safari/537.36'

interface VisitResponse {
  status: number
  headers: Record<string, string | string[] | undefined>
  body: string
}

interface VisitOptions {
  method?: string
  /** The Host header; the URL's by default. */
  host?: string
  headers?: Record<string, string>
  /** For keep-alive connections. */
  agent?: Agent
}

/** Sends a browser request to any host without following redirects. */
export function visit(
  url: string,
  { method = 'GET', host, headers = {}, agent }: VisitOptions = {},
): Promise<VisitResponse> {
  const all = { 'user-agent': browser, ...(host && { host }), ...headers }
  return new Promise((resolve, reject) => {
    const outgoing = request(url, { method, headers: all, agent: agent ?? false }, (response) => {
      let body = ''
      response.setEncoding('utf8')
      response.on('data', (data) => {
        body += data
      })
      response.on('end', () => resolve({ status: response.statusCode ?? 0, headers: response.headers, body }))
    })
    outgoing.on('error', reject)
    outgoing.end()
  })
}
