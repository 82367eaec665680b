import { NetworkMark } from '../../../ui/marks/network-mark.tsx'
import { useCall } from '../../../wire/queries.ts'
import { dayAndClock } from '../../../words/format.ts'
import { words } from '../../../words/words.ts'

/** What needs an asset: posts that were not sent, the next one first. */
export function Uses({ id }: { id: string }) {
  const { data } = useCall('GET /media/{id}/uses', { id }, { keepsLast: false })
  if (!data) return null
  const { Posts, TotalPosts, HiddenPosts, Messages, Others, MayBeDeleted } = data
  return (
    <section>
      <h3 className="panel-title">{words.library.facts.uses}</h3>
      <ul className="uses">
        {MayBeDeleted === 1 && <li className="quiet">{words.library.unneeded}</li>}
        {TotalPosts > 0 && <li>{words.library.usedBy(TotalPosts)}</li>}
        {Posts.map((post) => (
          <li key={post.Id}>
            <a className="uses-post" href={`/app/calendar?post=${post.Id}`}>
              <NetworkMark network={post.Network} label />
              <span className="number">{dayAndClock(Date.parse(`${post.StartDateTime.replace(' ', 'T')}Z`))}</span>
              <span dir="auto">{post.Text}</span>
            </a>
          </li>
        ))}
        {HiddenPosts > 0 && <li>{words.library.hidden(HiddenPosts)}</li>}
        {Others.map(({ What, Count }) => (
          <li key={What}>{words.library.others(What, Count)}</li>
        ))}
        {Messages > 0 && <li className="quiet">{words.library.messages(Messages)}</li>}
      </ul>
    </section>
  )
}
