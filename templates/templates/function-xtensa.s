{% for line in about %}#{% if !line.is_empty() %} {{ line }}{% endif %}
{% endfor %}
        .section .text.{{ symbol }},"ax",@progbits
        .balign 4
{% for literal in literals %}{{ literal.0 }}:
        .long   {{ literal.1 }}
{% endfor %}        .global {{ symbol }}
        .type   {{ symbol }}, @function
        # GNU as would take other forms of instructions; clang never does, and does not know the directive.
        .ifdef  .gasversion.
        .begin  no-transform
        .endif
{{ symbol }}:
{% for row in rows %}{{ row.line('#') }}
{% endfor %}        .ifdef  .gasversion.
        .end    no-transform
        .endif
        .size   {{ symbol }}, . - {{ symbol }}
{% if !constants.is_empty() %}
        .section .rodata.{{ symbol }},"a",@progbits
        .balign 4
        .type   .L{{ symbol }}_constants, @object
.L{{ symbol }}_constants:
{% for line in constants %}        .byte   {{ line }}
{% endfor %}        .size   .L{{ symbol }}_constants, . - .L{{ symbol }}_constants
{% endif %}
        .section .note.GNU-stack,"",@progbits

