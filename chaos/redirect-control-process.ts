import { createServer } from 'node:http'
import { aboutOf, type Click } from '#areas/links/click/click-bundle.ts'
import { linkIds } from '#areas/links/declarations.ts'
import { insertClicks } from '#areas/links/redirect/click-intake.ts'
import { openLinkLookup } from '#areas/links/redirect/store/link-map.ts'
import { systemClock } from '#kernel/clock.ts'
import { openDatabase } from '#kernel/database/database.ts'
import { openWriter } from '#kernel/database/writer.ts'
import { newId } from '#kernel/ids.ts'

/** Negative control: redirects immediately and writes clicks ten times a second. A kill loses buffered clicks. */
const databaseUrl = process.env.CHORUS_DATABASE_URL as string
const database = openDatabase({ url: databaseUrl, connections: 2 })
const writer = openWriter(databaseUrl)
const lookup = openLinkLookup(database, console.error)
let gathered: Click[] = []
setInterval(() => {
  const clicks = gathered
  gathered = []
  if (clicks.length > 0) writer.write(insertClicks(clicks)).catch(() => {})
}, 100)

const server = createServer(async (request, response) => {
  const hash = request.url?.slice('/l/'.length) ?? ''
  const link = (await lookup.of([hash])).links.get(hash)
  if (!link) return response.writeHead(404).end()
  response.writeHead(302, { location: link.location, 'content-length': 0 }).end()
  const now = systemClock.now()
  const id = newId(linkIds.click, now)
  const { account, id: linkId } = link
  const userAgent = String(request.headers['user-agent'])
  const about = aboutOf({ class: 'human', reason: '', userAgent })
  gathered.push({ account, link: linkId, id, at: now.getTime(), visitor: id, address: '127.0.0.1', about })
})
server.listen(0, '127.0.0.1', () => console.log(`listening ${(server.address() as { port: number }).port}`))
