import { type RefObject, useLayoutEffect, useRef, useState } from 'react'
import { errorDetails, useApiMutation, useApiQuery } from '@/api/queries.ts'
import { useMay, useSession } from '@/api/session.ts'
import { formatList, formatRelativeTime } from '@/i18n/format.ts'
import { texts } from '@/i18n/texts.ts'
import { useCanOpen } from '@/routes/router.ts'
import { now, parseTimestamp } from '@/time/days.ts'
import { NetworkIcon, networkName, StatusBadge } from '@/ui/badges.tsx'
import { Button, IconButton, LinkButton } from '@/ui/button.tsx'
import { Dialog, DialogActions } from '@/ui/dialog.tsx'
import { ScrollArea } from '@/ui/layout.tsx'
import { ErrorMessage, Loading } from '@/ui/states.tsx'
import { toast } from '@/ui/toasts.tsx'
import { affectedRoutes, type Item, itemStatus, kindOf, networksOf, statusText } from './approval-item.ts'
import * as styles from './approvals.module.css'
import { type DecisionActions, DecisionForm } from './decision-form.tsx'
import { Content, ContentChanges, PreviousVersions } from './item-content.tsx'
import { Comments, Steps } from './item-progress.tsx'

interface ItemViewProps {
  id: string
  isDeciding: boolean
  actionsRef: RefObject<DecisionActions | null>
  onDecide: (item: Item, isApprove: boolean, note: string, how: { openNext: boolean; done: () => void }) => void
  onClose: () => void
}

/** One item: content, changes, progress, comments and the decision form. */
export function ItemView({ id, isDeciding, actionsRef, onDecide, onClose }: ItemViewProps) {
  const { data, error, refetch } = useApiQuery('GET /workflow-item/{id}', { id }, { keepPrevious: false })
  const { data: changes, error: unknown } = useApiQuery(
    'GET /workflow-item/{id}/changes',
    { id },
    { keepPrevious: false },
  )
  const heading = useRef<HTMLHeadingElement>(null)
  // On narrow screens the item replaces the list, so it takes the focus.
  useLayoutEffect(() => {
    if (matchMedia('(max-width: 60rem)').matches) heading.current?.focus()
  }, [])
  const item = data?.Item
  const problem = error ?? unknown
  return (
    <article data-testid="approval" className={styles.approval} aria-labelledby="approval-title">
      <header data-testid="approval-bar" className={styles.bar}>
        <span className={styles.back}>
          <IconButton icon="back" label={texts.approvals.back} onClick={onClose} />
        </span>
        <h2 id="approval-title" ref={heading} tabIndex={-1}>
          {item ? <Heading item={item} /> : texts.approvals.title}
        </h2>
        {item && <Links item={item} onWithdrawn={onClose} />}
      </header>
      <ScrollArea className={styles.body} labelledBy="approval-title">
        {problem && <ErrorMessage {...errorDetails(problem)} onRetry={() => void refetch()} />}
        {!problem && (!item || !changes) && <Loading />}
        {item && changes && (
          <>
            <div className={styles.main}>
              {(item.DueState === 'tight' || item.DueState === 'over') && (
                <p className={styles.due} data-state={item.DueState} role="note">
                  <strong>{texts.approvals.dueState[item.DueState]}.</strong> {texts.approvals.dueWhy[item.DueState]}
                </p>
              )}
              <ContentChanges changes={changes} />
              <Content item={item} changes={changes} />
              <PreviousVersions changes={changes} />
            </div>
            <div className={styles.side}>
              <Steps item={item} changes={changes} />
              <Comments item={item} changes={changes} />
            </div>
          </>
        )}
      </ScrollArea>
      {item && changes && (
        <DecisionForm
          key={id}
          item={item}
          busy={isDeciding}
          actionsRef={actionsRef}
          onDecide={(isApprove, note, how) => onDecide(item, isApprove, note, how)}
        />
      )}
    </article>
  )
}

function Heading({ item }: { item: Item }) {
  const t = texts.approvals
  const networks = networksOf(item)
  return (
    <>
      <span className={styles.kind}>
        {networks.length === 1 && <NetworkIcon network={networks[0] ?? ''} />}
        {t.kind[kindOf(item)]} {networks.length > 0 && t.on(formatList(networks.map(networkName)))}
        <StatusBadge status={itemStatus(item)}>{statusText(item)}</StatusBadge>
      </span>
      <small className="muted">
        {t.sentBy(item.CreatedByName || t.unknownUser, formatRelativeTime(parseTimestamp(item.Created), now()))}
      </small>
    </>
  )
}

/** Links to the item elsewhere in the console, and the action that withdraws it from approval. */
function Links({ item, onWithdrawn }: { item: Item; onWithdrawn: () => void }) {
  const may = useMay()
  const me = useSession().User.Id
  const [isWithdrawOpen, setIsWithdrawOpen] = useState(false)
  const withdraw = useApiMutation('v2 DELETE /workflow-item/{id}', {
    invalidates: affectedRoutes,
    onSuccess: () => {
      setIsWithdrawOpen(false)
      toast(texts.approvals.withdrawn)
      onWithdrawn()
    },
    onError: (failure) => toast(errorDetails(failure).message, { kind: 'problem' }),
  })
  const canOpen = useCanOpen()
  const mayLeave = item.Status === 'pending' && may('contribute') && (item.CreatedBy === me || item.MayDecide === 1)
  const compose = `/app/compose?post=${item.PostId}`
  return (
    <div className={styles.links}>
      {item.PostId && may('contribute') && canOpen(compose) && (
        <LinkButton href={compose}>{texts.approvals.edit}</LinkButton>
      )}
      {item.PostId && (
        <LinkButton variant="ghost" icon="calendar" href={`/app/calendar?post=${item.PostId}`}>
          {texts.approvals.inCalendar}
        </LinkButton>
      )}
      {mayLeave && (
        <Button variant="ghost" icon="leave" onClick={() => setIsWithdrawOpen(true)}>
          {texts.approvals.withdraw}
        </Button>
      )}
      {isWithdrawOpen && (
        <Dialog
          title={texts.approvals.withdraw}
          onClose={() => setIsWithdrawOpen(false)}
          onSubmit={() => withdraw.mutate({ id: item.Id })}
        >
          <p>{texts.approvals.withdrawWhy}</p>
          <DialogActions>
            <Button onClick={() => setIsWithdrawOpen(false)}>{texts.ui.cancel}</Button>
            <Button type="submit" variant="primary" busy={withdraw.isPending}>
              {texts.approvals.withdraw}
            </Button>
          </DialogActions>
        </Dialog>
      )}
    </div>
  )
}
