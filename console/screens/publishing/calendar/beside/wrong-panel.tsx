import { withSearch } from '../../../../shell/router.ts'
import { Panel } from '../../../../ui/layers/panel.tsx'
import { Empty } from '../../../../ui/layout/states.tsx'
import { NetworkMark } from '../../../../ui/marks/network-mark.tsx'
import type { Body } from '../../../../wire/call.ts'
import { useCall } from '../../../../wire/queries.ts'
import { dayAndClock } from '../../../../words/format.ts'
import { words } from '../../../../words/words.ts'
import type { Answer } from '../plan.ts'
import { ProfileOutcome } from './profile-outcome.tsx'

type Wrong = Body<'GET /overview'>['WentWrong']['Posts'][number]

/** What failed or is unconfirmed, the latest of two weeks, each with what can be done about it. */
export function WrongPanel({ profiles, onClose }: { profiles: Answer['Credentials']; onClose: () => void }) {
  const { data } = useCall('GET /overview', {})
  const { data: all } = useCall('v2 GET /credential', { includeInvalid: 1 })
  const names = new Map(all?.Items.map(({ Id, DisplayName }) => [Id, DisplayName]))
  const posts = data?.WentWrong.Posts.filter(({ Trouble }) => Trouble !== 'late') ?? []
  return (
    <Panel title={words.calendar.wrongTitle} onClose={onClose}>
      <p>{words.calendar.wrongWhy}</p>
      {data && posts.length === 0 && <Empty icon="check" title={words.calendar.noneWrong} />}
      <ul className="late-list">
        {posts.map((post) => (
          <WrongPost key={post.Id} post={post} nameOf={(id) => names.get(id) ?? profiles[id]?.Name ?? id} />
        ))}
      </ul>
    </Panel>
  )
}

function WrongPost({ post, nameOf }: { post: Wrong; nameOf: (profileId: string) => string }) {
  const { data } = useCall('v2 GET /post/{id}', { id: post.Id, postlogs: 1 }, { keepsLast: false })
  const failed = data?.Post.Postlogs?.filter(({ Status }) => Status === 'failed') ?? []
  return (
    <li>
      <a href={withSearch({ post: post.Id, wrong: '' })}>
        <NetworkMark network={post.Network} label />
        <span className="number">{dayAndClock(post.At * 1000)}</span>
        <span className="wrong-text" dir="auto">
          {post.Text}
        </span>
      </a>
      <ul className="peek-profiles">
        {failed.map((log) => (
          <ProfileOutcome
            key={log.Id}
            name={nameOf(log.CredentialId)}
            network={post.Network}
            log={log}
            isUnsure={post.Trouble === 'unconfirmed'}
          />
        ))}
      </ul>
    </li>
  )
}
