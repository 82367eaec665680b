import { changes, disable, enable, findByHash, ownerOf } from '#areas/links/link/link.ts'
import type { Context } from '#kernel/context.ts'
import { gathered } from '#kernel/pages.ts'
import type { Settings } from '../settings/settings.ts'
import { type Command, type Print, withDatabase } from './command.ts'

const hash = { help: 'The end of the short link: eight letters and digits', required: true } as const

/** Commands for links that were reported. */
export const linkCommands: readonly Command[] = [
  {
    name: 'link show',
    summary: 'Show whose a short link is, where it leads and what was changed about it',
    options: { hash },
    run: (settings, { hash = '' }, print) =>
      withLink(settings, print, hash, undefined, async (context, link) => {
        const { id } = link
        print(`Link       ${id} of account ${context.accountId}, made ${moment(link.created)}`)
        print(`Short      ${link.shortUrl}`)
        print(`Leads to   ${link.longUrl}`)
        print(`From       ${link.network}, profile ${link.credentialId}, post ${link.postId || '–'}`)
        print(`Clicks     ${link.clicks}`)
        if (link.disabled) print(`Switched off ${moment(link.disabled)}: ${link.disabledReason || 'no reason given'}`)
        for (const { at, userId, what: field, before, after } of await gathered((await changes(context, { id })).items))
          print(`${moment(at)}  ${field}  by ${userId || 'the operator'}  ${before} → ${after}`)
      }),
  },
  {
    name: 'link disable',
    summary: 'Switch a short link off; only the operator can switch it on again',
    options: { hash, reason: { help: 'Why, for the account to see' } },
    run: (settings, { hash = '', reason }, print) =>
      withLink(settings, print, hash, 'link disable', async (context, { id }) => {
        await disable(context, { id, reason })
        print(`${hash} leads nowhere any more.`)
      }),
  },
  {
    name: 'link enable',
    summary: 'Switch a short link on again',
    options: { hash },
    run: (settings, { hash = '' }, print) =>
      withLink(settings, print, hash, 'link enable', async (context, { id }) => {
        const { longUrl } = await enable(context, { id })
        print(`${hash} leads to ${longUrl} again.`)
      }),
  },
]

/** Runs an action on a link; the command is named if it writes. */
const withLink = (
  settings: Settings,
  print: Print,
  hash: string,
  command: string | undefined,
  work: (context: Context, link: Awaited<ReturnType<typeof findByHash>>) => Promise<void>,
) =>
  withDatabase(settings, print, async ({ database, see, act }) => {
    const accountId = await ownerOf(database.shared, { hash })
    const find = async (context: Context) => {
      const link = await findByHash(context, { hash })
      context.about({ id: link.id })
      await work(context, link)
    }
    await (command ? act(accountId, { command }, find) : see(accountId, find))
  })

const moment = (date: Date) => `${date.toISOString().slice(0, 19).replace('T', ' ')} UTC`
