import { type RefObject, useLayoutEffect, useRef, useState } from 'react'
import { told, useCall, useChange } from '@/api/queries.ts'
import { useMay, useWho } from '@/api/session.ts'
import { distance, list } from '@/i18n/format.ts'
import { words } from '@/i18n/texts.ts'
import { leadsSomewhere } from '@/routes/router.ts'
import { momentOf, now } from '@/time/days.ts'
import { NetworkMark, networkName, StatusMark } from '@/ui/badges.tsx'
import { Button, IconButton, LinkButton } from '@/ui/button.tsx'
import { Dialog, DialogActions } from '@/ui/dialog.tsx'
import { Scroll } from '@/ui/layout.tsx'
import { Problem, Waiting } from '@/ui/states.tsx'
import { say } from '@/ui/toasts.tsx'
import { type Item, kindOf, networksOf, showing, signOf, statusWord } from './approval-item.ts'
import { AnswerForm, type Answering } from './decision-form.tsx'
import { Changed, Content, Earlier } from './item-content.tsx'
import { Steps, Talk } from './item-progress.tsx'

interface ItemViewProps {
  id: string
  isDeciding: boolean
  answering: RefObject<Answering | null>
  onDecide: (item: Item, isApprove: boolean, note: string, how: { andNext: boolean; done: () => void }) => void
  onClose: () => void
}

/** One item: what it says, what changed, how far it has come, what was said, and what one says to it. */
export function ItemView({ id, isDeciding, answering, onDecide, onClose }: ItemViewProps) {
  const { data, error, refetch } = useCall('GET /workflow-item/{id}', { id }, { keepsLast: false })
  const { data: changes, error: unknown } = useCall('GET /workflow-item/{id}/changes', { id }, { keepsLast: false })
  const heading = useRef<HTMLHeadingElement>(null)
  // Where it stands in the place of the list, the focus goes along.
  useLayoutEffect(() => {
    if (matchMedia('(max-width: 60rem)').matches) heading.current?.focus()
  }, [])
  const item = data?.Item
  const problem = error ?? unknown
  return (
    <article className="approval" aria-labelledby="approval-title">
      <header className="approval-bar">
        <span className="approval-back">
          <IconButton icon="back" label={words.approvals.back} onClick={onClose} />
        </span>
        <h2 id="approval-title" ref={heading} tabIndex={-1}>
          {item ? <Heading item={item} /> : words.approvals.title}
        </h2>
        {item && <Links item={item} onLeft={onClose} />}
      </header>
      <Scroll className="approval-body" labelledBy="approval-title">
        {problem && <Problem {...told(problem)} onAgain={() => void refetch()} />}
        {!problem && (!item || !changes) && <Waiting />}
        {item && changes && (
          <>
            <div className="approval-main">
              {(item.DueState === 'tight' || item.DueState === 'over') && (
                <p className="approval-due" data-state={item.DueState} role="note">
                  <strong>{words.approvals.dueState[item.DueState]}.</strong> {words.approvals.dueWhy[item.DueState]}
                </p>
              )}
              <Changed changes={changes} />
              <Content item={item} changes={changes} />
              <Earlier changes={changes} />
            </div>
            <div className="approval-side">
              <Steps item={item} changes={changes} />
              <Talk item={item} changes={changes} />
            </div>
          </>
        )}
      </Scroll>
      {item && changes && (
        <AnswerForm
          key={id}
          item={item}
          busy={isDeciding}
          answering={answering}
          onDecide={(isApprove, note, how) => onDecide(item, isApprove, note, how)}
        />
      )}
    </article>
  )
}

function Heading({ item }: { item: Item }) {
  const w = words.approvals
  const networks = networksOf(item)
  return (
    <>
      <span className="approval-kind">
        {networks.length === 1 && <NetworkMark network={networks[0] ?? ''} />}
        {w.kind[kindOf(item)]} {networks.length > 0 && w.on(list(networks.map(networkName)))}
        <StatusMark status={signOf(item)}>{statusWord(item)}</StatusMark>
      </span>
      <small className="quiet">
        {w.sentBy(item.CreatedByName || w.somebody, distance(momentOf(item.Created), now()))}
      </small>
    </>
  )
}

/** Where else it stands, and the way out of approval. */
function Links({ item, onLeft }: { item: Item; onLeft: () => void }) {
  const may = useMay()
  const me = useWho().User.Id
  const [isLeaving, setIsLeaving] = useState(false)
  const withdraw = useChange('v2 DELETE /workflow-item/{id}', {
    stale: showing,
    done: () => {
      setIsLeaving(false)
      say(words.approvals.withdrawn)
      onLeft()
    },
    refused: (failure) => say(told(failure).sentence, { kind: 'problem' }),
  })
  const mayLeave = item.Status === 'pending' && may('contribute') && (item.CreatedBy === me || item.MayDecide === 1)
  const compose = `/app/compose?post=${item.PostId}`
  return (
    <div className="approval-links">
      {item.PostId && may('contribute') && leadsSomewhere(compose) && (
        <LinkButton href={compose}>{words.approvals.edit}</LinkButton>
      )}
      {item.PostId && (
        <LinkButton kind="bare" icon="calendar" href={`/app/calendar?post=${item.PostId}`}>
          {words.approvals.inCalendar}
        </LinkButton>
      )}
      {mayLeave && (
        <Button kind="bare" icon="leave" onClick={() => setIsLeaving(true)}>
          {words.approvals.withdraw}
        </Button>
      )}
      {isLeaving && (
        <Dialog
          title={words.approvals.withdraw}
          onClose={() => setIsLeaving(false)}
          onSubmit={() => withdraw.mutate({ id: item.Id })}
        >
          <p>{words.approvals.withdrawWhy}</p>
          <DialogActions>
            <Button onClick={() => setIsLeaving(false)}>{words.ui.cancel}</Button>
            <Button type="submit" kind="main" busy={withdraw.isPending}>
              {words.approvals.withdraw}
            </Button>
          </DialogActions>
        </Dialog>
      )}
    </div>
  )
}
