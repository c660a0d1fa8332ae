{{- define "bundle-console.name" -}}
{{- ternary .Release.Name (printf "%s-%s" .Release.Name .Chart.Name) (contains .Chart.Name .Release.Name) | trunc 50 | trimSuffix "-" }}
{{- end }}

{{/* The labels that select the pods of one part. Argument: {root, part}. */}}
{{- define "bundle-console.selector" -}}
app.kubernetes.io/name: {{ .root.Chart.Name }}
app.kubernetes.io/instance: {{ .root.Release.Name }}
app.kubernetes.io/component: {{ .part }}
{{- end }}

{{- define "bundle-console.labels" -}}
{{ include "bundle-console.selector" . }}
app.kubernetes.io/version: {{ .root.Chart.AppVersion | quote }}
app.kubernetes.io/managed-by: {{ .root.Release.Service }}
helm.sh/chart: {{ printf "%s-%s" .root.Chart.Name .root.Chart.Version }}
{{- end }}

{{/* The settings of every pod. Argument: {root, secret}, and the keys of the secret that it needs; without them, all. */}}
{{- define "bundle-console.pod" -}}
automountServiceAccountToken: false
securityContext:
  runAsNonRoot: true
  runAsUser: 10001
  runAsGroup: 10001
  fsGroup: 10001
  seccompProfile: { type: RuntimeDefault }
{{- with .root.Values.image.pullSecrets }}
imagePullSecrets: {{- toYaml . | nindent 2 }}
{{- end }}
{{- with .root.Values.nodeSelector }}
nodeSelector: {{- toYaml . | nindent 2 }}
{{- end }}
{{- with .root.Values.tolerations }}
tolerations: {{- toYaml . | nindent 2 }}
{{- end }}
volumes:
  - name: data
    emptyDir: {}
  - name: secrets
    # a key file may be readable by its owner and group only
    secret:
      secretName: {{ .secret }}
      defaultMode: 0440
      {{- with .keys }}
      items:
        {{- range . }}
        - { key: {{ . }}, path: {{ . }} }
        {{- end }}
      {{- end }}
{{- end }}

{{/* The settings of every container. */}}
{{- define "bundle-console.container" -}}
image: {{ printf "%s:%s" .Values.image.repository (default .Chart.AppVersion .Values.image.tag) | quote }}
imagePullPolicy: {{ .Values.image.pullPolicy }}
securityContext:
  readOnlyRootFilesystem: true
  allowPrivilegeEscalation: false
  capabilities: { drop: [ALL] }
{{- end }}

{{/* Argument: {root, part}. */}}
{{- define "bundle-console.spread" -}}
{{- range .root.Values.topologySpread }}
- maxSkew: 1
  topologyKey: {{ .topologyKey }}
  whenUnsatisfiable: {{ .whenUnsatisfiable }}
  labelSelector:
    matchLabels: {{- include "bundle-console.selector" $ | nindent 6 }}
{{- end }}
{{- end }}

{{- define "bundle-console.volumeMounts" -}}
- { name: data, mountPath: /data }
- { name: secrets, mountPath: /secrets, readOnly: true }
{{- end }}

{{/* One line for each variable of a map. */}}
{{- define "bundle-console.env" -}}
{{- range $name, $value := . }}
- { name: {{ $name }}, value: {{ $value | toString | quote }} }
{{- end }}
{{- end }}

{{/* The variables of runtimes, workers and the commands of an operator. */}}
{{- define "bundle-console.runtimeEnv" -}}
- { name: DATABASE_URL_FILE, value: /secrets/database-url }
{{- if .Values.runtime.hasDirectUrl }}
- { name: DATABASE_DIRECT_URL_FILE, value: /secrets/database-direct-url }
{{- end }}
{{- if .Values.runtime.hasReadUrl }}
- { name: DATABASE_READ_URL_FILE, value: /secrets/database-read-url }
{{- end }}
- { name: SEALING_KEY_FILE, value: /secrets/sealing-key }
- { name: DATABASE_MIGRATE, value: 'off' }
- { name: RUNTIME_HOST, value: 0.0.0.0 }
- { name: SHUTDOWN_DELAY_SECONDS, value: '5' }
- { name: LEASE_SECONDS, value: {{ .Values.runtime.leaseSeconds | quote }} }
- { name: LOG_LEVEL, value: {{ .Values.runtime.logLevel }} }
- { name: EGRESS_ALLOW, value: {{ required "runtime.egressAllow is required: the destinations of plugins and services" .Values.runtime.egressAllow | join "," | quote }} }
- { name: PLATFORM_API_BASE, value: {{ default (printf "http://%s-runtime.%s.svc:8081" (include "bundle-console.name" .) .Release.Namespace) .Values.runtime.platformUrl | quote }} }
{{- include "bundle-console.env" .Values.runtime.env }}
{{- end }}

{{- define "bundle-console.apiEnv" -}}
- { name: RUNTIME_API_CREDENTIAL_FILE, value: /secrets/runtime-credential }
- { name: ACTOR_ASSERTION_JWKS, value: /console-keys/console-keys.json }
{{- end }}
