/** One visit to a link, to be written down before it is answered. */
export interface Click {
  readonly account: string
  readonly link: string
  readonly id: string
  /** In milliseconds since 1970. */
  readonly at: number
  readonly class: string
  readonly reason: string
  readonly visitor: string
  readonly address: string
  readonly userAgent: string
}

const insert = `insert into click_intake (account, link, click, at, class, reason, visitor, address, user_agent)
  select account, link, click, to_timestamp(at), class, reason, visitor, address, user_agent
  from unnest($1::text[], $2::text[], $3::text[], $4::float8[], $5::text[], $6::text[], $7::text[], $8::text[], $9::text[])
    as rows (account, link, click, at, class, reason, visitor, address, user_agent)`

/** One statement for all of them. Arrays are written here: the driver looks at each value several times. */
export function insertClicks(clicks: readonly Click[]): { text: string; values: string[] } {
  let [account, link, id, at, kind, reason, visitor, address, userAgent] = ['', '', '', '', '', '', '', '', '']
  for (const click of clicks) {
    account += `,${click.account}`
    link += `,${click.link}`
    id += `,${click.id}`
    at += `,${click.at / 1000}`
    kind += `,${click.class}`
    reason += `,${quoted(click.reason)}`
    visitor += `,${click.visitor}`
    address += `,"${click.address}"`
    userAgent += `,${quoted(click.userAgent)}`
  }
  const columns = [account, link, id, at, kind, reason, visitor, address, userAgent]
  return { text: insert, values: columns.map((values) => `{${values.slice(1)}}`) }
}

/** As an element of an array; what needs no escaping, which is nearly everything, is not taken apart. */
function quoted(text: string): string {
  return unsafe.test(text) ? `"${text.replace(/["\\]/g, '\\$&')}"` : `"${text}"`
}

const unsafe = /["\\]/
