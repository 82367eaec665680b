import { memo } from 'react'
import { firstCommentNetwork, firstCommentProblems } from '#networks/content/content-check.ts'
import { manifestOf, type Network } from '#networks/manifests.ts'
import { useApiQueries } from '@/api/queries.ts'
import { formatList } from '@/i18n/format.ts'
import { texts } from '@/i18n/texts.ts'
import { networkName } from '@/ui/badges.tsx'
import { Field, Select, TextArea } from '@/ui/field.tsx'
import * as styles from './composer.module.css'
import type { Change, Composition, Profile } from './composition.ts'

interface NetworkFieldsProps extends Pick<Composition, 'title' | 'comment' | 'presetId'> {
  /** Documents have a title too. */
  hasDocument: boolean
  networks: readonly Network[]
  profiles: readonly Profile[]
  change: Change
}

/** Fields of single networks: title, first comment, audience. */
export const NetworkFields = memo((props: NetworkFieldsProps) => {
  const { networks, profiles, title, comment, presetId, hasDocument, change } = props
  const withTitle = networks.filter((network) => {
    const { limits, needsTitle } = manifestOf(network)
    return limits.title && (needsTitle || (hasDocument && limits.document))
  })
  const supportsFirstComment = networks.includes(firstCommentNetwork)
  if (withTitle.length === 0 && !supportsFirstComment) return null
  return (
    <div className={styles.networkFields}>
      {withTitle.length > 0 && (
        <Field
          label={texts.composer.title}
          hint={texts.composer.titleHint(formatList(withTitle.map(networkName)))}
          value={title}
          onChange={(value) => change({ title: value })}
        />
      )}
      {supportsFirstComment && (
        <>
          <TextArea
            label={texts.composer.firstComment}
            hint={texts.composer.firstCommentHint(firstCommentNetwork)}
            value={comment}
            onChange={(value) => change({ comment: value })}
            error={comment.trim() ? firstCommentProblems(comment)[0] : undefined}
          />
          <Audience value={presetId} {...{ profiles, change }} />
        </>
      )}
    </div>
  )
})

/** Targeting presets of the chosen pages. */
function Audience({ value, profiles, change }: { value: string; profiles: readonly Profile[]; change: Change }) {
  const pages = profiles.filter(({ Network, Kind }) => Network === 'LinkedIn' && Kind === 'page')
  const results = useApiQueries(
    'v2 GET /credential/{id}/targeting-presets',
    pages.map(({ Id }) => ({ id: Id, _count: 100 })),
  )
  const presets = results.flatMap((result) => result?.Items ?? [])
  if (presets.length === 0) return null
  return (
    <Select
      label={texts.composer.audience}
      value={value}
      options={[
        { value: '', label: texts.composer.everybody },
        ...presets.map(({ Id, Name }) => ({ value: Id, label: Name })),
      ]}
      onChange={(presetId) => change({ presetId })}
    />
  )
}
