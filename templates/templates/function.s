{% for line in about %}@{% if !line.is_empty() %} {{ line }}{% endif %}
{% endfor %}
        .syntax unified
        .thumb
        .cpu    {{ cpu }}
{% if let Some(fpu) = fpu %}        .fpu    {{ fpu }}
{% endif %}{% for attribute in attributes %}        .eabi_attribute {{ attribute.0 }}, {{ attribute.1 }}
{% endfor %}        .cfi_sections .debug_frame

        .section .text.{{ symbol }},"ax",%progbits
        .p2align 2
{% for literal in literals %}{{ literal.0 }}:
        .word   {{ literal.1 }}
{% endfor %}{% if let Some(label) = literals_end %}{{ label }}:
{% endif %}        .global {{ symbol }}
        .type   {{ symbol }}, %function
        .thumb_func
{{ symbol }}:
        .cfi_startproc
{% for row in rows %}{{ row.line('@') }}
{% endfor %}        .cfi_endproc
        .size   {{ symbol }}, . - {{ symbol }}
        .p2align 2
{% if !constants.is_empty() %}
        .section .rodata.{{ symbol }},"a",%progbits
        .p2align 2
        .type   .L{{ symbol }}_constants, %object
.L{{ symbol }}_constants:
{% for line in constants %}        .byte   {{ line }}
{% endfor %}        .size   .L{{ symbol }}_constants, . - .L{{ symbol }}_constants
{% endif %}
