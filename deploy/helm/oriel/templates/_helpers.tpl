{{- define "oriel.labels" -}}
app.kubernetes.io/name: oriel
app.kubernetes.io/instance: {{ .root.Release.Name }}
app.kubernetes.io/component: {{ .part }}
{{- end }}

{{- define "oriel.pod" -}}
{{- $root := .root -}}
{{- $values := index $root.Values .part -}}
automountServiceAccountToken: false
terminationGracePeriodSeconds: 30
securityContext:
  runAsNonRoot: true
  runAsUser: 10001
  runAsGroup: 10001
  fsGroup: 10001
  seccompProfile: { type: RuntimeDefault }
topologySpreadConstraints:
  - maxSkew: 1
    topologyKey: kubernetes.io/hostname
    whenUnsatisfiable: ScheduleAnyway
    labelSelector:
      matchLabels: {{- include "oriel.labels" . | nindent 8 }}
{{- with $root.Values.nodeSelector }}
nodeSelector: {{- toYaml . | nindent 2 }}
{{- end }}
{{- with $root.Values.tolerations }}
tolerations: {{- toYaml . | nindent 2 }}
{{- end }}
containers:
  - name: {{ .part }}
    image: "{{ $root.Values.image.repository }}:{{ $root.Values.image.tag | default $root.Chart.AppVersion }}"
    imagePullPolicy: {{ $root.Values.image.pullPolicy }}
    args: [{{ .part }}]
    env:
      - name: ORIEL_PORT
        value: "6770"
      - name: ORIEL_RPC
        valueFrom:
          secretKeyRef: { name: {{ $root.Values.secret.name }}, key: {{ $root.Values.secret.rpcKey }} }
      - name: ORIEL_STORE
        valueFrom:
          secretKeyRef: { name: {{ $root.Values.secret.name }}, key: {{ $root.Values.secret.storeKey }} }
      {{- range $name, $value := merge (dict) ($values.settings | default dict) ($root.Values.settings | default dict) }}
      - name: {{ $name }}
        {{- /* Numbers of a values file are floats, which would be written as 1e+06. */}}
        value: {{ kindIs "float64" $value | ternary (toJson $value) (toString $value) | quote }}
      {{- end }}
    ports:
      - { name: http, containerPort: 6770 }
    startupProbe:
      httpGet: { path: /health, port: http }
      periodSeconds: 2
      failureThreshold: 60
    livenessProbe:
      httpGet: { path: /health, port: http }
      periodSeconds: 10
      timeoutSeconds: 5
      failureThreshold: 3
    {{- if eq .part "serve" }}
    readinessProbe:
      httpGet: { path: /ready, port: http }
      periodSeconds: 5
      timeoutSeconds: 5
      failureThreshold: 2
    {{- end }}
    resources: {{- toYaml $values.resources | nindent 6 }}
    securityContext:
      allowPrivilegeEscalation: false
      readOnlyRootFilesystem: true
      capabilities: { drop: [ALL] }
    volumeMounts:
      - { name: data, mountPath: /data }
      - { name: tmp, mountPath: /tmp }
volumes:
  - name: data
    emptyDir: {}
  - name: tmp
    emptyDir: {}
{{- end }}
