import { withSearch } from '../../../shell/router.ts'
import { momentOf } from '../../../time/days.ts'
import { Button, LinkButton } from '../../../ui/button.tsx'
import { Icon } from '../../../ui/icons.tsx'
import { NetworkMark } from '../../../ui/network-mark.tsx'
import { Panel } from '../../../ui/panel.tsx'
import { Empty } from '../../../ui/states.tsx'
import { useCall } from '../../../wire/queries.ts'
import { useMay } from '../../../wire/session.ts'
import { dayAndClock } from '../../../words/format.ts'
import { words } from '../../../words/words.ts'
import { useLateRepair } from './moving.ts'

const page = { _count: 100 }

/** Says that posts missed their time and wait for a person, wherever on the calendar they are. */
export function LateBar() {
  const { data } = useCall('GET /post/late', page)
  if (!data || data.Total === 0) return null
  return (
    <div className="late-bar" role="status">
      <Icon name="warning" />
      <span>{words.calendar.lateCount(data.Total)}</span>
      <LinkButton href={withSearch({ late: '1', post: '', list: '' })}>{words.calendar.decide}</LinkButton>
    </div>
  )
}

/** All that are late, each with what can be done about it. */
export function LatePanel({ onClose }: { onClose: () => void }) {
  const { data } = useCall('GET /post/late', page)
  const mayApprove = useMay()('approve')
  const { mutate, isPending } = useLateRepair()
  const posts = data?.Items ?? []
  const all = (action: 'send' | 'drop') => {
    for (const { Id: id } of posts) mutate({ id, action })
  }
  return (
    <Panel
      title={words.calendar.lateTitle}
      onClose={onClose}
      actions={
        mayApprove &&
        posts.length > 1 && (
          <>
            <Button kind="main" busy={isPending} onClick={() => all('send')}>
              {words.calendar.sendAll(posts.length)}
            </Button>
            <Button busy={isPending} onClick={() => all('drop')}>
              {words.calendar.dropAll(posts.length)}
            </Button>
          </>
        )
      }
    >
      <p>{words.calendar.lateWhy}</p>
      {data && posts.length === 0 && <Empty icon="check" title={words.calendar.noneLate} />}
      <ul className="late-list">
        {posts.map((post) => (
          <li key={post.Id}>
            <a href={withSearch({ post: post.Id, late: '' })}>
              <NetworkMark network={post.Network} label />
              <span className="number">{dayAndClock(momentOf(post.StartDateTime))}</span>
            </a>
            {mayApprove && (
              <span className="peek-row">
                <Button busy={isPending} onClick={() => mutate({ id: post.Id, action: 'send' })}>
                  {words.calendar.sendNow}
                </Button>
                <Button busy={isPending} onClick={() => mutate({ id: post.Id, action: 'drop' })}>
                  {words.calendar.drop}
                </Button>
              </span>
            )}
          </li>
        ))}
      </ul>
    </Panel>
  )
}
