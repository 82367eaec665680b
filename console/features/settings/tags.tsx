import { useState } from 'react'
import type { Body } from '@/api/call.ts'
import { errorDetails, useApiMutation, useApiQuery, usePagedQuery } from '@/api/queries.ts'
import { useMay } from '@/api/session.ts'
import { ago } from '@/i18n/format.ts'
import { texts } from '@/i18n/texts.ts'
import { setSearch, useLocation } from '@/routes/router.ts'
import { Button } from '@/ui/button.tsx'
import { Dialog, DialogActions } from '@/ui/dialog.tsx'
import { Field } from '@/ui/field.tsx'
import { SearchField } from '@/ui/filters.tsx'
import { EmptyState, ErrorMessage, Loading } from '@/ui/states.tsx'
import { type Column, Table } from '@/ui/table.tsx'
import { toast } from '@/ui/toasts.tsx'
import { SettingsSection } from './section.tsx'
import * as styles from './settings.module.css'

type Tag = Body<'v2 GET /tag'>['Items'][number]
const invalidates = ['v2 GET /tag', 'v2 GET /tag/{id}'] as const

/** Tags of campaigns, messages and stories; renaming applies everywhere. */
export function Tags() {
  const { search } = useLocation()
  const mayChange = useMay()('contribute')
  const q = search.get('q') ?? ''
  const openId = search.get('tag') ?? ''
  const {
    items,
    isLoading: isFirst,
    error,
    loadMore: more,
    retry,
  } = usePagedQuery('v2 GET /tag', {
    _count: 100,
    _order: 'tag,1',
    ...(q && { q }),
  })
  const columns: Column<Tag>[] = [
    { id: 'tag', label: texts.settings.tag, width: '60%', render: (one) => <span dir="auto">{one.Tag}</span> },
    { id: 'used', label: texts.settings.lastUsed, render: (one) => ago(one.LastUsedDate, texts.settings.never) },
  ]
  const close = () => setSearch({ tag: '' })
  return (
    <SettingsSection isTable calls={['GET /v2/tag', 'POST /v2/tag', 'POST /v2/tag/{id}', 'DELETE /v2/tag/{id}']}>
      <header className={styles.head}>
        <h2>{texts.settings.section.tags}</h2>
        <SearchField
          label={texts.settings.findTag}
          value={q}
          onChange={(text) => setSearch({ q: text }, { replace: true })}
        />
        {mayChange && (
          <Button variant="primary" icon="plus" onClick={() => setSearch({ tag: 'new' })}>
            {texts.settings.newTag}
          </Button>
        )}
      </header>
      {error && <ErrorMessage {...errorDetails(error)} onRetry={retry} />}
      {isFirst && !error && <Loading />}
      {!isFirst && items.length === 0 && (
        <EmptyState icon="tag" title={q ? texts.settings.nothingFits : texts.settings.noTags} />
      )}
      {items.length > 0 && (
        <Table
          label={texts.settings.section.tags}
          columns={columns}
          rows={items}
          rowId={({ Id }) => Id}
          rowLabel={(one) => one.Tag}
          {...(mayChange && { onOpen: ({ Id }: Tag) => setSearch({ tag: Id }) })}
          onEndReached={more}
        />
      )}
      {mayChange && openId === 'new' && <TagDialog onClose={close} />}
      {mayChange && openId && openId !== 'new' && <OpenTag key={openId} id={openId} onClose={close} />}
    </SettingsSection>
  )
}

function OpenTag({ id, onClose }: { id: string; onClose: () => void }) {
  const { data, error } = useApiQuery('v2 GET /tag/{id}', { id }, { keepPrevious: false })
  if (data) return <TagDialog tag={data.Tag} onClose={onClose} />
  return error ? (
    <Dialog title={texts.settings.tag} onClose={onClose}>
      <ErrorMessage {...errorDetails(error)} />
    </Dialog>
  ) : null
}

function TagDialog({ tag, onClose }: { tag?: Pick<Tag, 'Id' | 'Tag'>; onClose: () => void }) {
  const [name, setName] = useState(tag?.Tag ?? '')
  const [isDeleting, setIsDeleting] = useState(false)
  const options = { invalidates, onSuccess: onClose }
  const create = useApiMutation('v2 POST /tag', options)
  const rename = useApiMutation('v2 POST /tag/{id}', options)
  const remove = useApiMutation('v2 DELETE /tag/{id}', {
    invalidates,
    onSuccess: () => {
      toast(texts.settings.tagDeleted(tag?.Tag ?? ''))
      onClose()
    },
  })
  const problem = create.error ?? rename.error ?? remove.error
  const isBusy = create.isPending || rename.isPending || remove.isPending
  const save = () => {
    if (isBusy) return
    if (!tag) create.mutate({ tag: name })
    else if (isDeleting) remove.mutate({ id: tag.Id })
    else rename.mutate({ id: tag.Id, tag: name })
  }
  return (
    <Dialog title={tag ? texts.settings.changeTag(tag.Tag) : texts.settings.newTag} onClose={onClose} onSubmit={save}>
      {problem && <ErrorMessage {...errorDetails(problem)} />}
      {isDeleting ? (
        <p>{texts.settings.deleteTagWhy(tag?.Tag ?? '')}</p>
      ) : (
        <Field
          label={texts.settings.tag}
          name="tag"
          value={name}
          maxLength={64}
          dir="auto"
          autoFocus
          hint={tag && texts.settings.renameTagWhy}
          onChange={setName}
        />
      )}
      <DialogActions>
        {tag && !isDeleting && (
          <Button variant="danger" icon="trash" onClick={() => setIsDeleting(true)}>
            {texts.settings.delete}
          </Button>
        )}
        <Button onClick={onClose}>{texts.ui.cancel}</Button>
        <Button variant={isDeleting ? 'danger' : 'primary'} type="submit" busy={isBusy}>
          {isDeleting ? texts.settings.delete : tag ? texts.settings.save : texts.settings.make}
        </Button>
      </DialogActions>
    </Dialog>
  )
}
