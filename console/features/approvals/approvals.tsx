import { useMemo, useRef, useState, useSyncExternalStore } from 'react'
import { errorDetails, useApiQuery, usePagedQuery } from '@/api/queries.ts'
import { useMay } from '@/api/session.ts'
import { texts } from '@/i18n/texts.ts'
import { hrefWith, setSearch, useLocation } from '@/routes/router.ts'
import { useShortcuts } from '@/shell/shortcuts.ts'
import { Button } from '@/ui/button.tsx'
import { Dialog, DialogActions } from '@/ui/dialog.tsx'
import { TextArea } from '@/ui/field.tsx'
import { PageHeader, Tabs } from '@/ui/layout.tsx'
import { EmptyState, ErrorMessage, Loading } from '@/ui/states.tsx'
import { type Item, useDecisions, type View, views } from './approval-item.ts'
import * as styles from './approvals.module.css'
import type { DecisionActions } from './decision-form.tsx'
import { ItemList } from './item-list.tsx'
import { ItemView } from './item-view.tsx'

/** Users who can't decide see their own items first. */
const contributorsViews = ['sent', 'waiting', 'decided'] as const
const readersViews = ['waiting', 'decided'] as const

const noSelection: ReadonlySet<string> = new Set()

/** Pending approvals, own submissions and past decisions as a list, with the open item beside it. */
export function Approvals() {
  const { search } = useLocation()
  const may = useMay()
  const mayApprove = may('approve')
  const availableViews = mayApprove ? views : may('contribute') ? contributorsViews : readersViews
  const view = availableViews.find((one) => one === search.get('view')) ?? availableViews[0]
  const {
    items,
    total,
    isLoading: isFirst,
    error,
    loadMore: more,
    retry,
  } = usePagedQuery('GET /workflow-item', { view, _count: 50 })
  const isWide = useIsWide()
  const asked = search.get('item') ?? ''
  const openId = asked || (isWide ? (items[0]?.Id ?? '') : '')
  const [selected, setSelected] = useState(noSelection)
  const [isRejecting, setIsRejecting] = useState(false)
  const lastPicked = useRef('')
  const actionsRef = useRef<DecisionActions>(null)
  const { decide, isDeciding, problems } = useDecisions()
  const chosen = items.filter(({ Id }) => selected.has(Id))
  const canSelect = mayApprove && (view === 'to-decide' || view === 'waiting')

  const step = (by: number) => {
    const at = items.findIndex(({ Id }) => Id === openId)
    const next = items[at < 0 ? 0 : Math.max(0, Math.min(at + by, items.length - 1))]
    if (next) openItem(next.Id)
  }
  const select = (id: string, isRange = false) => {
    const [from, to] = [lastPicked.current, id].map((one) => items.findIndex(({ Id }) => Id === one)) as [
      number,
      number,
    ]
    const range =
      isRange && from >= 0 ? items.slice(Math.min(from, to), Math.max(from, to) + 1) : items.slice(to, to + 1)
    const picked = new Set(selected)
    for (const { Id } of range) selected.has(id) ? picked.delete(Id) : picked.add(Id)
    lastPicked.current = id
    setSelected(picked)
  }
  const decideOne = (
    item: Item,
    isApprove: boolean,
    note: string,
    { openNext, done }: { openNext: boolean; done: () => void },
  ) => {
    const at = items.findIndex(({ Id }) => Id === item.Id)
    const next = items[at + 1] ?? items[at - 1]
    // An open item stays open after it leaves the list.
    setSearch({ item: item.Id }, { replace: true })
    decide({
      items: [item],
      isApprove,
      note,
      done: (ids) => {
        if (ids.length === 0) return
        done()
        if (openNext && next) openItem(next.Id)
      },
    })
  }
  const decideSelected = (isApprove: boolean, note: string) =>
    decide({
      items: chosen,
      isApprove,
      note,
      done: (ids) => {
        setIsRejecting(false)
        setSelected(new Set([...selected].filter((id) => !ids.includes(id))))
      },
    })
  useApprovalKeys({
    step,
    approve: (openNext) => (chosen.length > 0 ? decideSelected(true, '') : actionsRef.current?.approve(openNext)),
    reject: () => (chosen.length > 0 ? setIsRejecting(true) : actionsRef.current?.reject()),
    note: () => actionsRef.current?.note(),
    select: () => openId && canSelect && select(openId),
    mayApprove,
    canComment: may('contribute'),
  })
  return (
    <>
      <PageHeader title={texts.approvals.title}>
        <ViewTabs {...{ view, availableViews }} />
      </PageHeader>
      <div className={styles.approvals} data-open={asked ? true : undefined}>
        <div className={styles.approvalsSide}>
          {chosen.length > 0 && (
            <BulkActions
              count={chosen.length}
              busy={isDeciding}
              isRejecting={isRejecting}
              onReject={setIsRejecting}
              onDecide={decideSelected}
              onClear={() => setSelected(noSelection)}
            />
          )}
          {error && items.length === 0 && <ErrorMessage {...errorDetails(error)} onRetry={retry} />}
          {isFirst && !error && <Loading />}
          {!isFirst && !error && items.length === 0 && (
            <EmptyState icon="approvals" title={texts.approvals.empty[view]}>
              {texts.approvals.emptyWhy}
            </EmptyState>
          )}
          {items.length > 0 && (
            <ItemList
              {...{ items, total, openId, problems }}
              selected={canSelect ? selected : undefined}
              onSelect={select}
              onMore={more}
            />
          )}
        </div>
        {openId && (
          <ItemView
            key={openId}
            id={openId}
            isDeciding={isDeciding}
            actionsRef={actionsRef}
            onDecide={decideOne}
            onClose={() => setSearch({ item: '' })}
          />
        )}
      </div>
    </>
  )
}

/** Opens an item and moves the focus there, so that the next key acts on it. */
function openItem(id: string) {
  setSearch({ item: id }, { replace: true })
  requestAnimationFrame(() => document.querySelector<HTMLElement>(`[data-item="${id}"]`)?.focus())
}

/** The views of the screen, with the number of items waiting for the user. */
function ViewTabs({ view, availableViews }: { view: View; availableViews: readonly View[] }) {
  const { data } = useApiQuery('GET /workflow-item', { view: 'to-decide', _count: 1 })
  return (
    <Tabs
      label={texts.approvals.views}
      tabs={availableViews.map((one, index) => ({
        href: hrefWith({ view: index === 0 ? '' : one, item: '' }),
        label: texts.approvals.view[one],
        isCurrent: one === view,
        ...(one === 'to-decide' && data && { count: data.Total }),
      }))}
    />
  )
}

interface ShortcutActions {
  step: (by: number) => void
  approve: (openNext: boolean) => void
  reject: () => void
  note: () => void
  select: () => void
  mayApprove: boolean
  canComment: boolean
}

function useApprovalKeys(acts: ShortcutActions) {
  const latest = useRef(acts)
  latest.current = acts
  const { mayApprove, canComment } = acts
  useShortcuts(
    useMemo(() => {
      const name = texts.approvals.keys
      const reading = [
        { keys: 'j', name: name.next, run: () => latest.current.step(1) },
        { keys: 'k', name: name.previous, run: () => latest.current.step(-1) },
      ]
      if (!canComment) return reading
      const writing = [...reading, { keys: 'n', name: name.note, run: () => latest.current.note() }]
      if (!mayApprove) return writing
      return [
        ...writing,
        { keys: 'a', name: name.approve, run: () => latest.current.approve(false) },
        { keys: 'A', name: name.approveNext, run: () => latest.current.approve(true) },
        { keys: 'r', name: name.reject, run: () => latest.current.reject() },
        { keys: 'x', name: name.select, run: () => latest.current.select() },
      ]
    }, [mayApprove, canComment]),
  )
}

const wide = matchMedia('(min-width: 60rem)')
const subscribe = (notify: () => void) => {
  wide.addEventListener('change', notify)
  return () => wide.removeEventListener('change', notify)
}
/** Whether list and item are shown side by side. */
const useIsWide = () => useSyncExternalStore(subscribe, () => wide.matches)

interface BulkActionsProps {
  count: number
  busy: boolean
  isRejecting: boolean
  onReject: (isRejecting: boolean) => void
  onDecide: (isApprove: boolean, note: string) => void
  onClear: () => void
}

export function BulkActions({ count, busy, isRejecting, onReject, onDecide, onClear }: BulkActionsProps) {
  const [note, setNote] = useState('')
  const [isDialogOpen, setIsDialogOpen] = useState(false)
  const isMissing = note.trim() === ''
  return (
    <div
      data-testid="bulk-actions"
      className={styles.bulkActions}
      role="toolbar"
      aria-label={texts.approvals.selected(count)}
    >
      <span>{texts.approvals.selected(count)}</span>
      <Button variant="primary" shortcut="a" busy={busy} onClick={() => onDecide(true, '')}>
        {texts.approvals.approveSelected(count)}
      </Button>
      <Button shortcut="r" busy={busy} onClick={() => onReject(true)}>
        {texts.approvals.rejectSelected(count)}
      </Button>
      <Button variant="ghost" onClick={onClear}>
        {texts.approvals.clear}
      </Button>
      {isRejecting && (
        <Dialog
          title={texts.approvals.rejectTitle(count)}
          onClose={() => onReject(false)}
          onSubmit={() => {
            setIsDialogOpen(true)
            if (!isMissing) onDecide(false, note)
          }}
        >
          <TextArea
            label={texts.approvals.why}
            hint={texts.approvals.whyHint}
            error={isDialogOpen && isMissing ? texts.approvals.whyMissing : undefined}
            maxLength={2000}
            rows={3}
            value={note}
            onChange={setNote}
          />
          <DialogActions>
            <Button onClick={() => onReject(false)}>{texts.ui.cancel}</Button>
            <Button type="submit" variant="danger" busy={busy}>
              {texts.approvals.rejectSelected(count)}
            </Button>
          </DialogActions>
        </Dialog>
      )}
    </div>
  )
}
